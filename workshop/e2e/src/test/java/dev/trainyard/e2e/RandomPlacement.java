package dev.trainyard.e2e;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Supplier;

/** Random nodes and pods with everything that decides where a pod may run. Few distinct values are used, so that matches are frequent. */
final class RandomPlacement {

    static final String RUNTIME_CLASS = "placement-it";
    /** The overhead that the runtime class adds to a pod. */
    static final Map<String, Object> OVERHEAD = Map.of("cpu", "250m", "memory", "64Mi");

    private static final String HOSTNAME = "kubernetes.io/hostname";
    private static final String ZONE = "topology.kubernetes.io/zone";
    private static final List<String> RESOURCES =
            List.of("nvidia.com/gpu", "example.com/foo", "ephemeral-storage", "hugepages-2Mi");

    private final Random random;
    private final String namespace;
    private final String other;

    /** @param other a second namespace; both have the labels {@code team} and {@code name} */
    RandomPlacement(Random random, String namespace, String other) {
        this.random = random;
        this.namespace = namespace;
        this.other = other;
    }

    Map<String, Object> node(String name) {
        var labels = new HashMap<String, Object>();
        some(10, 9, () -> labels.put(HOSTNAME, name));
        some(8, 7, () -> labels.put(ZONE, any("a", "b", "c")));
        some(4, 3, () -> labels.put("disk", any("ssd", "hdd")));
        some(4, 3, () -> labels.put("rank", any("1", "5", "9", "x")));
        var taints = new ArrayList<Map<String, Object>>();
        some(5, 1, () -> taints.add(Map.of("key", "spot", "value", "true", "effect", "NoSchedule")));
        some(5, 1, () -> taints.add(Map.of("key", "team", "value", any("x", "y"), "effect", "NoExecute")));
        some(5, 1, () -> taints.add(Map.of("key", "soft", "effect", "PreferNoSchedule")));
        var spec = new HashMap<String, Object>(Map.of("taints", taints));
        some(9, 1, () -> spec.put("unschedulable", true));
        return Map.of(
                "apiVersion",
                "v1",
                "kind",
                "Node",
                "metadata",
                Map.of("name", name, "labels", labels),
                "spec",
                spec,
                "status",
                Map.of("allocatable", allocatable(), "capacity", Map.of("pods", "110")));
    }

    private Map<String, Object> allocatable() {
        var amounts = new HashMap<String, Object>();
        amounts.put("cpu", any("2", "3500m", "6"));
        amounts.put("memory", any("2Gi", "3000Mi", "8Gi"));
        amounts.put("pods", any("4", "6", "110"));
        some(2, 1, () -> amounts.put("nvidia.com/gpu", any("1", "4")));
        some(3, 1, () -> amounts.put("example.com/foo", any("1", "2")));
        some(2, 1, () -> amounts.put("ephemeral-storage", any("1Gi", "10Gi")));
        some(3, 1, () -> amounts.put("hugepages-2Mi", any("4Mi", "64Mi")));
        return amounts;
    }

    /** Returns a pod that is bound to a node regardless of its requirements. */
    Map<String, Object> placed(String name, String node) {
        var pod = pod(name, 8);
        var spec = specOf(pod);
        spec.put("nodeName", node);
        // Keeps the pod from being evicted from tainted nodes during the test.
        spec.put("tolerations", List.of(Map.of("operator", "Exists")));
        return pod;
    }

    /** Returns a pending pod. */
    Map<String, Object> waiting(String name, String scheduler) {
        var pod = pod(name, 3);
        var spec = specOf(pod);
        spec.put("schedulerName", scheduler);
        some(4, 1, () -> spec.put("nodeSelector", Map.of("disk", any("ssd", "hdd"))));
        some(4, 3, () -> spec.put("tolerations", some(this::toleration, 3)));
        some(
                4,
                1,
                () -> affinity(spec)
                        .put(
                                "nodeAffinity",
                                Map.of(
                                        "requiredDuringSchedulingIgnoredDuringExecution",
                                        Map.of("nodeSelectorTerms", atLeastOne(this::nodeTerm, 2)))));
        return pod;
    }

    /** @param rarity the pod has each kind of relation to other pods in one of {@code rarity} cases */
    private Map<String, Object> pod(String name, int rarity) {
        var labels = new HashMap<String, Object>();
        labels.put("app", any("a", "b", "c"));
        some(2, 1, () -> labels.put("hash", any("h1", "h2")));
        var spec = new LinkedHashMap<String, Object>();
        spec.put("automountServiceAccountToken", false);
        spec.put("containers", containers("c", atLeast(1, 2), false));
        some(3, 1, () -> spec.put("initContainers", containers("i", 1 + random.nextInt(3), true)));
        some(5, 1, () -> spec.put("runtimeClassName", RUNTIME_CLASS));
        some(6, 1, () -> spec.put("resources", wholePod()));
        some(12, 1, () -> spec.put("hostNetwork", true));
        some(rarity, 1, () -> affinity(spec).put("podAffinity", required(this::podTerm)));
        some(rarity, 1, () -> affinity(spec).put("podAntiAffinity", required(this::podTerm)));
        some(rarity, 1, () -> spec.put("topologySpreadConstraints", spread()));
        return new LinkedHashMap<>(Map.of(
                "apiVersion",
                "v1",
                "kind",
                "Pod",
                "metadata",
                Map.of("name", name, "namespace", random.nextInt(5) == 0 ? other : namespace, "labels", labels),
                "spec",
                spec));
    }

    private List<Map<String, Object>> containers(String prefix, int number, boolean init) {
        var containers = new ArrayList<Map<String, Object>>();
        for (int i = 0; i < number; i++) {
            var container = new HashMap<String, Object>(Map.of("name", prefix + i, "image", "none"));
            container.put("resources", resources());
            some(5, 1, () -> container.put("ports", List.of(port())));
            if (init) {
                some(2, 1, () -> container.put("restartPolicy", "Always"));
            }
            containers.add(container);
        }
        return containers;
    }

    private Map<String, Object> resources() {
        var requests = new HashMap<String, Object>();
        var limits = new HashMap<String, Object>();
        some(2, 1, () -> requests.put("cpu", any("100m", "700m", "0", "1")));
        some(2, 1, () -> requests.put("memory", any("100Mi", "900Mi", "1G")));
        some(4, 1, () -> limits.put("cpu", any("1", "2")));
        some(5, 1, () -> {
            var resource = any(RESOURCES.toArray(String[]::new));
            var amount = resource.startsWith("h")
                    ? "4Mi"
                    : resource.startsWith("e") && !resource.contains("/") ? "600Mi" : "1";
            limits.put(resource, amount);
            // Huge pages require another resource beside them.
            requests.putIfAbsent("memory", "100Mi");
        });
        return Map.of("requests", requests, "limits", limits);
    }

    private Map<String, Object> wholePod() {
        var amounts = new HashMap<String, Object>();
        some(2, 1, () -> amounts.put("cpu", any("4", "5")));
        some(2, 1, () -> amounts.put("memory", any("5Gi", "6Gi")));
        return random.nextBoolean() ? Map.of("requests", amounts) : Map.of("limits", amounts);
    }

    private Map<String, Object> port() {
        int number = 8000 + random.nextInt(2);
        var port = new HashMap<String, Object>(Map.of("containerPort", number, "hostPort", number));
        some(3, 1, () -> port.put("protocol", "UDP"));
        some(2, 1, () -> port.put("hostIP", any("10.0.0.1", "10.0.0.2", "0.0.0.0")));
        return port;
    }

    private Map<String, Object> toleration() {
        return switch (random.nextInt(5)) {
            case 0 -> Map.of("key", "spot", "operator", "Equal", "value", any("true", "false"), "effect", "NoSchedule");
            case 1 -> Map.of("key", "team", "operator", "Exists");
            case 2 -> Map.of("key", "team", "value", any("x", "y"));
            case 3 -> Map.of("key", "node.kubernetes.io/unschedulable", "operator", "Exists", "effect", "NoSchedule");
            default -> Map.of("operator", "Exists", "effect", any("NoSchedule", "NoExecute"));
        };
    }

    private Map<String, Object> nodeTerm() {
        return Map.of("matchExpressions", atLeastOne(this::nodeRequirement, 2));
    }

    private Map<String, Object> nodeRequirement() {
        var key = any(ZONE, "disk", "rank", HOSTNAME);
        return switch (random.nextInt(6)) {
            case 0 -> requirement(key, "In", "a", "ssd", "5");
            case 1 -> requirement(key, "NotIn", "a", "ssd");
            case 2 -> requirement(key, "Exists");
            case 3 -> requirement(key, "DoesNotExist");
            case 4 -> requirement("rank", "Gt", any("1", "5"));
            default -> requirement("rank", "Lt", any("5", "9"));
        };
    }

    private Map<String, Object> required(Supplier<Map<String, Object>> term) {
        return Map.of("requiredDuringSchedulingIgnoredDuringExecution", atLeastOne(term, 2));
    }

    private Map<String, Object> podTerm() {
        var term = new HashMap<String, Object>();
        term.put("topologyKey", any(HOSTNAME, ZONE, ZONE, "disk"));
        some(10, 9, () -> {
            term.put("labelSelector", selector());
            some(6, 1, () -> term.put("matchLabelKeys", List.of("hash")));
            if (!term.containsKey("matchLabelKeys")) {
                some(6, 1, () -> term.put("mismatchLabelKeys", List.of("hash")));
            }
        });
        some(5, 1, () -> term.put("namespaces", List.of(any(namespace, other))));
        some(5, 1, () -> term.put("namespaceSelector", namespaceSelector()));
        return term;
    }

    private Map<String, Object> namespaceSelector() {
        return switch (random.nextInt(4)) {
            case 0 -> Map.of();
            case 1 -> Map.of("matchLabels", Map.of("team", any("x", "y")));
            case 2 -> Map.of("matchExpressions", List.of(requirement("team", "NotIn", "x")));
            default -> Map.of("matchExpressions", List.of(requirement("team", "DoesNotExist")));
        };
    }

    private Map<String, Object> selector() {
        return switch (random.nextInt(7)) {
            case 0 -> Map.of();
            case 1 -> Map.of("matchExpressions", List.of(requirement("app", "NotIn", "a")));
            case 2 -> Map.of("matchExpressions", List.of(requirement("app", "In", "a", "b")));
            case 3 -> Map.of("matchExpressions", List.of(requirement("app", "Exists")));
            case 4 ->
                Map.of(
                        "matchLabels",
                        Map.of("app", "c"),
                        "matchExpressions",
                        List.of(requirement("other", "DoesNotExist")));
            default -> Map.of("matchLabels", Map.of("app", any("a", "b", "c")));
        };
    }

    private List<Map<String, Object>> spread() {
        var constraints = new ArrayList<Map<String, Object>>();
        for (var key : random.nextBoolean() ? List.of(any(ZONE, HOSTNAME, "disk")) : List.of(ZONE, HOSTNAME)) {
            var constraint = new HashMap<String, Object>();
            constraint.put("topologyKey", key);
            constraint.put("maxSkew", 1 + random.nextInt(3));
            constraint.put("whenUnsatisfiable", random.nextInt(6) == 0 ? "ScheduleAnyway" : "DoNotSchedule");
            some(10, 9, () -> constraint.put("labelSelector", selector()));
            some(4, 1, () -> constraint.put("nodeAffinityPolicy", any("Ignore", "Honor")));
            some(3, 1, () -> constraint.put("nodeTaintsPolicy", any("Ignore", "Honor")));
            if (constraint.get("whenUnsatisfiable").equals("DoNotSchedule")) {
                some(4, 1, () -> constraint.put("minDomains", 1 + random.nextInt(5)));
            }
            if (constraint.containsKey("labelSelector")) {
                some(5, 1, () -> constraint.put("matchLabelKeys", List.of("hash")));
            }
            constraints.add(constraint);
        }
        return constraints;
    }

    private static Map<String, Object> requirement(String key, String operator, String... values) {
        return values.length == 0
                ? Map.of("key", key, "operator", operator)
                : Map.of("key", key, "operator", operator, "values", List.of(values));
    }

    @SuppressWarnings("unchecked") // the entry is always such a map
    private static Map<String, Object> affinity(Map<String, Object> spec) {
        return (Map<String, Object>) spec.computeIfAbsent("affinity", key -> new HashMap<String, Object>());
    }

    @SuppressWarnings("unchecked") // the entry is always such a map
    private static Map<String, Object> specOf(Map<String, Object> pod) {
        return (Map<String, Object>) pod.get("spec");
    }

    private int atLeast(int least, int most) {
        return least + random.nextInt(most - least + 1);
    }

    private List<Map<String, Object>> atLeastOne(Supplier<Map<String, Object>> maker, int most) {
        var list = new ArrayList<Map<String, Object>>();
        for (int i = atLeast(1, most); i > 0; i--) {
            list.add(maker.get());
        }
        return list;
    }

    private List<Map<String, Object>> some(Supplier<Map<String, Object>> maker, int most) {
        var list = new ArrayList<Map<String, Object>>();
        for (int i = random.nextInt(most + 1); i > 0; i--) {
            list.add(maker.get());
        }
        return list;
    }

    /** Runs {@code action} in {@code times} of {@code of} cases. */
    private void some(int of, int times, Runnable action) {
        if (random.nextInt(of) < times) {
            action.run();
        }
    }

    private String any(String... words) {
        return words[random.nextInt(words.length)];
    }
}
