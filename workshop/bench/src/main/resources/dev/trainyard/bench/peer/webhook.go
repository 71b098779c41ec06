package main

import (
	"encoding/json"
	"io"
	"log/slog"
	"net/http"

	"gomodules.xyz/jsonpatch/v2"
	admission "k8s.io/api/admission/v1"
	core "k8s.io/api/core/v1"
)

const (
	gpu        = "nvidia.com/gpu"
	tier       = "light-gpu"
	driverRoot = "/usr/lib/nvidia-384"
	largest    = 7 << 20 // controller-runtime's limit of a body
)

// driver holds the volumes of the GPU driver, and where they are mounted.
var driver = []struct{ name, host, kind, mount string }{
	{"bin", driverRoot + "/bin", "Directory", "/usr/local/nvidia/bin"},
	{"lib", driverRoot, "Directory", "/usr/lib/nvidia"},
	{"libcuda", "/usr/lib/x86_64-linux-gnu/libcuda.so.1", "File", "/usr/lib/x86_64-linux-gnu/libcuda.so.1"},
}

// mutate answers an AdmissionReview as handlers of controller-runtime do: it decodes the pod, changes it, encodes it, and sends the
// difference from the original bytes as a JSON patch.
func mutate(response http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(response, request.Body, largest))
	if err != nil {
		http.Error(response, err.Error(), http.StatusBadRequest)
		return
	}
	var review admission.AdmissionReview
	if err := json.Unmarshal(body, &review); err != nil || review.Request == nil {
		http.Error(response, "expected an AdmissionReview", http.StatusBadRequest)
		return
	}
	decision, err := decide(review.Request)
	if err != nil {
		http.Error(response, err.Error(), http.StatusBadRequest)
		return
	}
	answer(response, admission.AdmissionReview{TypeMeta: review.TypeMeta, Response: decision})
}

func decide(request *admission.AdmissionRequest) (*admission.AdmissionResponse, error) {
	var pod core.Pod
	if err := json.Unmarshal(request.Object.Raw, &pod); err != nil {
		return nil, err
	}
	decision := &admission.AdmissionResponse{UID: request.UID, Allowed: true}
	if pod.Annotations["trainyard.dev/tier"] != tier && !requestsGPU(pod.Spec.Containers) {
		return decision, nil
	}
	complete(&pod, string(request.UID))
	completed, err := json.Marshal(pod)
	if err != nil {
		return nil, err
	}
	operations, err := jsonpatch.CreatePatch(request.Object.Raw, completed)
	if err != nil {
		return nil, err
	}
	patch, err := json.Marshal(operations)
	if err != nil {
		return nil, err
	}
	kind := admission.PatchTypeJSONPatch
	decision.Patch, decision.PatchType = patch, &kind
	decision.AuditAnnotations = map[string]string{"decision": "completed"}
	slog.Info("completed", "pod", request.Namespace+"/"+pod.GenerateName, "tier", tier, "operations", len(operations))
	return decision, nil
}

func requestsGPU(containers []core.Container) bool {
	for _, container := range containers {
		if quantity, found := container.Resources.Limits[gpu]; found && !quantity.IsZero() {
			return true
		}
	}
	return false
}

// complete adds what the tier of the benchmark adds to a pod: driver, library path, tolerations, node affinity, scheduler, annotations.
func complete(pod *core.Pod, admission string) {
	for _, part := range driver {
		kind := core.HostPathType(part.kind)
		pod.Spec.Volumes = append(pod.Spec.Volumes, core.Volume{
			Name:         part.name,
			VolumeSource: core.VolumeSource{HostPath: &core.HostPathVolumeSource{Path: part.host, Type: &kind}},
		})
	}
	for i := range pod.Spec.Containers {
		container := &pod.Spec.Containers[i]
		for _, part := range driver {
			container.VolumeMounts = append(container.VolumeMounts,
				core.VolumeMount{Name: part.name, MountPath: part.mount, ReadOnly: true})
		}
		container.Env = append(container.Env,
			core.EnvVar{Name: "LD_LIBRARY_PATH", Value: "/usr/lib/nvidia:/usr/lib/x86_64-linux-gnu"})
	}
	pod.Spec.Tolerations = append(pod.Spec.Tolerations,
		toleration("kubernetes.azure.com/scalesetpriority", "spot"), toleration(gpu, "present"))
	pod.Spec.Affinity = affinity()
	pod.Spec.SchedulerName = "trainyard-scheduler"
	if pod.Annotations == nil {
		pod.Annotations = map[string]string{}
	}
	pod.Annotations["trainyard.dev/tier"] = tier
	pod.Annotations["trainyard.dev/injected"] = "tier " + tier + "; driver mounted from " + driverRoot +
		"; LD_LIBRARY_PATH; placed on light-spot, light-ondemand"
	pod.Annotations["trainyard.dev/admission"] = admission
}

func toleration(key, value string) core.Toleration {
	return core.Toleration{
		Key: key, Operator: core.TolerationOpEqual, Value: value, Effect: core.TaintEffectNoSchedule,
	}
}

func affinity() *core.Affinity {
	accelerator, labelled := in("accelerator", "k80"), in("gpu", "true")
	spot := in("kubernetes.azure.com/scalesetpriority", "spot")
	return &core.Affinity{NodeAffinity: &core.NodeAffinity{
		RequiredDuringSchedulingIgnoredDuringExecution: &core.NodeSelector{
			NodeSelectorTerms: []core.NodeSelectorTerm{term(accelerator, labelled)},
		},
		PreferredDuringSchedulingIgnoredDuringExecution: []core.PreferredSchedulingTerm{
			{Weight: 100, Preference: term(accelerator, labelled, spot)},
			{Weight: 50, Preference: term(accelerator, labelled)},
		},
	}}
}

func term(requirements ...core.NodeSelectorRequirement) core.NodeSelectorTerm {
	return core.NodeSelectorTerm{MatchExpressions: requirements}
}

func in(key, value string) core.NodeSelectorRequirement {
	return core.NodeSelectorRequirement{Key: key, Operator: core.NodeSelectorOpIn, Values: []string{value}}
}
