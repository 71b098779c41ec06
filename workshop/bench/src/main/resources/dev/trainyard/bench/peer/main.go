// Peer is a minimal Go server for comparison with Trainyard's webhook and extender: what the author of a Kubernetes operator in Go would
// write, with the standard library, the types of Kubernetes, and the JSON patch library of controller-runtime.
//
// Usage: peer webhook|extender TLS-DIRECTORY
package main

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
)

func main() {
	if len(os.Args) != 3 {
		log.Fatal("usage: peer webhook|extender TLS-DIRECTORY")
	}
	directory := os.Args[2]
	certificate, err := tls.LoadX509KeyPair(filepath.Join(directory, "tls.crt"), filepath.Join(directory, "tls.key"))
	if err != nil {
		log.Fatal(err)
	}
	config := &tls.Config{Certificates: []tls.Certificate{certificate}}
	routes := http.NewServeMux()
	switch os.Args[1] {
	case "webhook":
		routes.HandleFunc("POST /mutate", mutate)
	case "extender":
		config.ClientAuth = tls.RequireAndVerifyClientCert
		config.ClientCAs = authority(directory)
		routes.HandleFunc("POST /choose", choose)
		routes.HandleFunc("POST /filter", filter)
		routes.HandleFunc("POST /prioritize", prioritize)
	default:
		log.Fatalf("unknown server %q; expected webhook or extender", os.Args[1])
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("peer ready on https://%s\n", listener.Addr())
	server := &http.Server{Handler: routes, TLSConfig: config}
	log.Fatal(server.ServeTLS(listener, "", ""))
}

func authority(directory string) *x509.CertPool {
	pem, err := os.ReadFile(filepath.Join(directory, "ca.crt"))
	if err != nil {
		log.Fatal(err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(pem) {
		log.Fatalf("%s/ca.crt has no certificate", directory)
	}
	return pool
}

// answer sends a value as JSON, with its length, because net/http would send a long body in chunks.
func answer(response http.ResponseWriter, value any) {
	body, err := json.Marshal(value)
	if err != nil {
		http.Error(response, err.Error(), http.StatusInternalServerError)
		return
	}
	response.Header().Set("Content-Type", "application/json")
	response.Header().Set("Content-Length", strconv.Itoa(len(body)))
	response.Write(body)
}
