package dev.trainyard.cli.check;

import dev.trainyard.core.Names;
import dev.trainyard.core.TroubleshootingTopic;
import dev.trainyard.core.catalogue.Catalogue;
import dev.trainyard.core.node.NodeReader;
import dev.trainyard.core.node.NodeShape;
import dev.trainyard.core.node.Taint;
import dev.trainyard.core.pool.Pool;
import dev.trainyard.core.resource.ResourceNames;
import dev.trainyard.core.resource.Resources;
import dev.trainyard.runtime.configuration.Catalogues;
import dev.trainyard.scaler.observe.Cordon;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeCondition;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * A check that nodes have the labels, taints and resources that their pools promise in {@code spec.promise}. Skips nodes that are cordoned,
 * being removed or not ready.
 */
final class PromiseCheck implements Check {

    private static final String ABOUT = "promises";
    private static final String TODO = "fix spec.promise of the pool, or the configuration of its machines";
    private static final int NAMED = 3;

    /**
     * A difference between a node and the promise of its pool. Nodes with the same difference share a finding.
     *
     * @param passes the text to show instead of {@code seen} while the machine starts; empty if the difference is a problem even then
     */
    private record Difference(
            String pool,
            String field,
            String value,
            String expected,
            Finding.Level level,
            String seen,
            String passes,
            String todo) {

        Difference ofYoung() {
            return passes.isEmpty()
                    ? this
                    : new Difference(
                            pool,
                            field,
                            value,
                            expected,
                            Finding.Level.NOTE,
                            passes,
                            passes,
                            "wait: the node started recently");
        }
    }

    @Override
    public List<Finding> look(ClusterSnapshot seen) {
        var configuration = seen.configuration();
        if (configuration.nodes().value().isEmpty()) {
            return List.of(configuration.nodes().notChecked(ABOUT));
        }
        if (configuration.pools().value().isEmpty()
                || configuration.tiers().value().isEmpty()) {
            return List.of(); // another check reports unreadable pools and tiers
        }
        var catalogue = Catalogues.of(
                configuration.pools().value().get(),
                configuration.tiers().value().get());
        return look(configuration.nodes().value().get(), catalogue, seen.at());
    }

    private static List<Finding> look(List<Node> nodes, Catalogue catalogue, Instant now) {
        var differences = new TreeMap<String, Difference>();
        var names = new TreeMap<String, List<String>>();
        var findings = new ArrayList<Finding>();
        int compared = 0;
        for (var node : nodes) {
            NodeShape shape;
            try {
                shape = NodeReader.shapeOf(node);
            } catch (IllegalArgumentException e) {
                findings.add(Finding.warning(ABOUT, "a node cannot be read: " + e.getMessage())
                        .on("Node " + node.getMetadata().getName())
                        .see(TroubleshootingTopic.PROMISE_NOT_KEPT));
                continue;
            }
            stray(shape, catalogue).ifPresent(findings::add);
            var pool = catalogue.poolOf(shape);
            if (pool.isPresent() && isInService(node, shape)) {
                compared++;
                boolean young = isYoung(node, pool.get(), now);
                for (var found : differences(pool.get(), shape)) {
                    var difference = young ? found.ofYoung() : found;
                    var key = "%s|%s|%s|%s"
                            .formatted(difference.pool(), difference.field(), difference.value(), difference.seen());
                    differences.put(key, difference);
                    names.computeIfAbsent(key, any -> new ArrayList<>()).add(shape.name());
                }
            }
        }
        differences.forEach((key, difference) -> findings.add(
                finding(difference, Optional.ofNullable(names.get(key)).orElse(List.of()))));
        return findings.isEmpty()
                ? List.of(Finding.ok(ABOUT, "%d nodes match the promises of their pools".formatted(compared)))
                : findings;
    }

    private static Finding finding(Difference difference, List<String> nodes) {
        var some = Finding.first(NAMED, nodes);
        return Finding.of(
                        difference.level(),
                        ABOUT,
                        "%s; affected nodes of pool %s: %d (%s)"
                                .formatted(difference.seen(), difference.pool(), nodes.size(), some))
                .on("Node " + nodes.get(0))
                .field(difference.field(), difference.value(), difference.expected())
                .todo(difference.todo())
                .see(TroubleshootingTopic.PROMISE_NOT_KEPT);
    }

    private static Optional<Finding> stray(NodeShape node, Catalogue catalogue) {
        return Optional.ofNullable(node.labels().get(Names.POOL))
                .filter(pool -> !catalogue.pools().containsKey(pool))
                .map(pool -> Finding.warning(ABOUT, "the node's label names a missing or unusable pool")
                        .on("Node " + node.name())
                        .field(
                                "label " + Names.POOL,
                                pool,
                                String.join(" or ", catalogue.pools().keySet()))
                        .todo("correct the label, or create or correct this TrainingPool")
                        .see(TroubleshootingTopic.PROMISE_NOT_KEPT));
    }

    private static boolean isInService(Node node, NodeShape shape) {
        var annotations =
                Optional.ofNullable(node.getMetadata().getAnnotations()).orElse(Map.of());
        var cordon = Cordon.of(shape);
        return NodeReader.isReady(node) && cordon.others().isEmpty() && !annotations.containsKey(Names.REMOVING);
    }

    /**
     * Whether the machine started recently, so that devices and labels may still appear and start-up taints may still be removed. A recent
     * change of the ready condition also means a start, because a restarted machine keeps its Node.
     */
    private static boolean isYoung(Node node, Pool pool, Instant now) {
        var started = Stream.of(
                Optional.ofNullable(node.getMetadata().getCreationTimestamp()),
                NodeReader.readyCondition(node).map(NodeCondition::getLastTransitionTime));
        return started.flatMap(Optional::stream)
                .anyMatch(time ->
                        Instant.parse(time).plus(pool.provisionTimeout()).isAfter(now));
    }

    private static List<Difference> differences(Pool pool, NodeShape node) {
        var differences = new ArrayList<Difference>();
        var shown = node.allocatable().max(pool.unreported());
        pool.promise().allocatable().asMap().forEach((resource, promised) -> {
            long real = shown.get(resource);
            if (real < promised && !(pool.estimated().contains(resource) && real > 0)) {
                differences.add(less(pool, resource, real, promised));
            }
        });
        new TreeMap<>(pool.ownLabels()).forEach((key, value) -> {
            if (!value.equals(node.labels().get(key))) {
                differences.add(new Difference(
                        pool.name(),
                        "label " + key,
                        node.labels().getOrDefault(key, ""),
                        value,
                        Finding.Level.ERROR,
                        "a promised label is missing, so pods that select the label cannot run on the node",
                        "a promised label is not set yet",
                        TODO));
            }
        });
        differences.addAll(taints(pool, node));
        return differences;
    }

    private static Difference less(Pool pool, String resource, long real, long promised) {
        boolean gpu = resource.equals(ResourceNames.GPU);
        // The kubelet reports its own resources at once. A device plugin reports its resource, such as
        // nvidia.com/gpu, after the start of the plugin.
        boolean ofPlugin = resource.contains("/");
        return new Difference(
                pool.name(),
                "status.allocatable[%s]".formatted(resource),
                amount(resource, real),
                amount(resource, promised),
                gpu ? Finding.Level.ERROR : Finding.Level.WARNING,
                gpu
                        ? "the node has fewer GPUs than promised: either the node lost GPUs, or the node never became usable and its machine is removed"
                        : "the node has less than promised, so the scaler may launch machines that are too small for the pods",
                gpu
                        ? "the node does not report all GPUs yet"
                        : ofPlugin ? "the node does not report all promised resources yet" : "",
                TODO);
    }

    private static List<Difference> taints(Pool pool, NodeShape node) {
        var differences = new ArrayList<Difference>();
        pool.promise().taints().stream()
                .filter(taint -> !node.taints().contains(taint))
                .map(taint -> new Difference(
                        pool.name(),
                        "spec.taints",
                        words(node.taints()),
                        taint.toString(),
                        Finding.Level.WARNING,
                        "a promised taint is missing, so other pods may use the machine",
                        "a promised taint is not set yet",
                        TODO))
                .forEach(differences::add);
        node.taints().stream()
                .filter(taint -> taint.repels()
                        && !taint.key().startsWith("node.kubernetes.io/")
                        && !pool.promise().taints().contains(taint))
                .map(taint -> new Difference(
                        pool.name(),
                        "spec.taints",
                        taint.toString(),
                        words(pool.promise().taints()),
                        Finding.Level.ERROR,
                        "the node has a taint that is not promised, so pods for the pool do not tolerate the taint",
                        "the node has a taint that is not promised; the taint may disappear after the start of the machine",
                        TODO))
                .forEach(differences::add);
        return differences;
    }

    private static String words(List<Taint> taints) {
        return taints.isEmpty()
                ? "none"
                : String.join(
                        ", ", taints.stream().map(Taint::toString).sorted().toList());
    }

    private static String amount(String resource, long amount) {
        var words = Resources.of(resource, amount).toString();
        return words.startsWith(resource)
                ? words.substring(resource.length()).replaceFirst("^[ =:]+", "")
                : String.valueOf(amount);
    }
}
