package main

import (
	"encoding/json"
	"net/http"

	extender "k8s.io/kube-scheduler/extender/v1"
)

// choose returns the first node.
func choose(response http.ResponseWriter, request *http.Request) {
	if args, ok := decode(response, request); ok {
		names := (*args.NodeNames)[:1]
		answer(response, pass(names))
	}
}

// filter returns all nodes.
func filter(response http.ResponseWriter, request *http.Request) {
	if args, ok := decode(response, request); ok {
		answer(response, pass(*args.NodeNames))
	}
}

// prioritize returns a score of 0 for each node.
func prioritize(response http.ResponseWriter, request *http.Request) {
	if args, ok := decode(response, request); ok {
		scores := make(extender.HostPriorityList, 0, len(*args.NodeNames))
		for _, name := range *args.NodeNames {
			scores = append(scores, extender.HostPriority{Host: name})
		}
		answer(response, scores)
	}
}

func decode(response http.ResponseWriter, request *http.Request) (*extender.ExtenderArgs, bool) {
	var args extender.ExtenderArgs
	if err := json.NewDecoder(request.Body).Decode(&args); err != nil {
		http.Error(response, err.Error(), http.StatusBadRequest)
		return nil, false
	}
	if args.Pod == nil || args.NodeNames == nil || len(*args.NodeNames) == 0 {
		http.Error(response, "expected Pod and NodeNames", http.StatusBadRequest)
		return nil, false
	}
	return &args, true
}

func pass(names []string) extender.ExtenderFilterResult {
	return extender.ExtenderFilterResult{
		NodeNames:                  &names,
		FailedNodes:                extender.FailedNodesMap{},
		FailedAndUnresolvableNodes: extender.FailedNodesMap{},
	}
}
