package dev.trainyard.local.binaries;

import java.util.Collection;
import java.util.stream.Collectors;

/** The programs of a control plane. */
public enum Binary {
    ETCD("etcd", "go.etcd.io/etcd/server/v3", "server"),
    KUBE_APISERVER("kube-apiserver"),
    KUBE_CONTROLLER_MANAGER("kube-controller-manager"),
    KUBE_SCHEDULER("kube-scheduler"),
    KUBECTL("kubectl"),
    KWOK("kwok", "sigs.k8s.io/kwok/cmd/kwok", "kwok");

    static final String ETCD_VERSION = "3.6.8";
    static final String KWOK_VERSION = "0.8.0";

    private final String fileName;
    private final String goPackage;
    private final String goOutput;

    /** Creates a program of Kubernetes itself. */
    Binary(String fileName) {
        this(fileName, "k8s.io/kubernetes/cmd/" + fileName, fileName);
    }

    Binary(String fileName, String goPackage, String goOutput) {
        this.fileName = fileName;
        this.goPackage = goPackage;
        this.goOutput = goOutput;
    }

    /** Returns the required file name of the program. */
    public String fileName() {
        return fileName;
    }

    String goPackage() {
        return goPackage;
    }

    /** Returns the file name that {@code go build} chooses. */
    String goOutput() {
        return goOutput;
    }

    boolean isKubernetes() {
        return this != ETCD && this != KWOK;
    }

    String version(KubernetesVersion kubernetes) {
        return switch (this) {
            case ETCD -> ETCD_VERSION;
            case KWOK -> KWOK_VERSION;
            default -> kubernetes.full();
        };
    }

    static String names(Collection<Binary> binaries) {
        return binaries.stream().map(Binary::fileName).collect(Collectors.joining(", "));
    }
}
