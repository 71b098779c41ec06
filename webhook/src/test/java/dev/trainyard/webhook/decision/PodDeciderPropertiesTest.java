package dev.trainyard.webhook.decision;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.trainyard.core.Names;
import dev.trainyard.core.catalogue.Catalogue;
import dev.trainyard.core.fit.Fit;
import dev.trainyard.core.node.NodeShape;
import dev.trainyard.core.pod.PodShape;
import dev.trainyard.core.pool.Pool;
import dev.trainyard.core.tier.Tier;
import dev.trainyard.webhook.decision.Decision.Completed;
import dev.trainyard.webhook.decision.Decision.Failed;
import dev.trainyard.webhook.patch.Draft;
import dev.trainyard.webhook.pod.Shapes;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.BiConsumer;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/** What holds for every pod, whatever the pools and tiers are. */
class PodDeciderPropertiesTest {

    private static final int TRIES = 1500;
    private static final String SEED = "42";

    @Property(tries = TRIES, seed = SEED)
    void neverFailsAndIsCompleteTheSecondTime(@ForAll Random random) {
        onCompleted(random, (trial, after) -> {
            var again = Samples.DECIDER.decide(Samples.request(after), trial.catalogue());

            assertThat(again).isInstanceOf(Completed.class);
            assertThat(((Completed) again).patch()).isEmpty();
        });
    }

    @Property(tries = TRIES, seed = SEED)
    void changesNothingOutsideThePlacesItIsAllowedTo(@ForAll Random random) {
        onCompleted(random, (trial, after) -> {
            assertThat(withoutOurPlaces(after)).isEqualTo(withoutOurPlaces(trial.pod()));
            assertThat(after.at("/metadata/annotations/other"))
                    .isEqualTo(trial.pod().at("/metadata/annotations/other"));
        });
    }

    @Property(tries = TRIES, seed = SEED)
    void keepsAllThatTheAuthorListed(@ForAll Random random) {
        onCompleted(random, (trial, after) -> {
            var preferred = "/spec/affinity/nodeAffinity/preferredDuringSchedulingIgnoredDuringExecution";
            for (var list : List.of("/spec/volumes", "/spec/tolerations", preferred)) {
                assertStartsWith(after.at(list), trial.pod().at(list));
            }
            for (var containers : List.of("/spec/containers", "/spec/initContainers")) {
                for (int index = 0; index < trial.pod().at(containers).size(); index++) {
                    var before = trial.pod().at(containers).get(index);
                    var now = after.at(containers).get(index);
                    assertStartsWith(now.path("volumeMounts"), before.path("volumeMounts"));
                    assertThat(now.path("env").size())
                            .isGreaterThanOrEqualTo(before.path("env").size());
                }
            }
        });
    }

    @Property(tries = TRIES, seed = SEED)
    void isValidWhereTheApiServerWouldLook(@ForAll Random random) {
        onCompleted(random, (trial, after) -> {
            assertUnique(after.at("/spec/volumes"), "name", trial.pod().at("/spec/volumes"));
            for (var containers : List.of("/spec/containers", "/spec/initContainers")) {
                for (var container : after.at(containers)) {
                    assertThat(container.toString()).doesNotContain("alpha.kubernetes.io");
                    var requested = container.at("/resources/requests/nvidia.com~1gpu");
                    if (!requested.isMissingNode()) {
                        assertThat(container.at("/resources/limits/nvidia.com~1gpu"))
                                .isEqualTo(requested);
                    }
                    var paths = new HashSet<String>();
                    container
                            .path("volumeMounts")
                            .forEach(mount -> assertThat(
                                            paths.add(mount.path("mountPath").asText()))
                                    .isTrue());
                }
            }
        });
    }

    @Property(tries = TRIES, seed = SEED)
    void mayRunOnWhichNodesItMightBeforeAndThatBelongToItsTier(@ForAll Random random) {
        onCompleted(random, (trial, after) -> {
            var shapeBefore = Shapes.of(Draft.of(trial.pod()));
            var shapeAfter = Shapes.of(Draft.of(after));
            var tier = trial.catalogue()
                    .tiers()
                    .get(after.at("/metadata/annotations").path(Names.TIER).asText());
            boolean placed = !after.at("/metadata/annotations")
                    .path(Names.INJECTED)
                    .asText()
                    .contains("no placement");
            for (int count = 0; count < 8; count++) {
                var node = trial.cluster().node(trial.catalogue());
                boolean wanted = eligible(shapeBefore, node) && belongs(node, tier);
                if (placed) {
                    assertThat(eligible(shapeAfter, node)).as("%s", node).isEqualTo(wanted);
                } else {
                    assertThat(wanted).as("excluded by its author: %s", node).isFalse();
                    assertThat(shapeAfter.nodeTerms()).isEqualTo(shapeBefore.nodeTerms());
                }
            }
        });
    }

    @Property(tries = TRIES, seed = SEED)
    void toleratesWhatItDidAndTheTaintsOfItsTierOnly(@ForAll Random random) {
        onCompleted(random, (trial, after) -> {
            var before = Shapes.of(Draft.of(trial.pod())).tolerations();
            var now = Shapes.of(Draft.of(after)).tolerations();
            var tier = trial.catalogue()
                    .tiers()
                    .get(after.at("/metadata/annotations").path(Names.TIER).asText());
            trial.catalogue().pools().values().stream()
                    .flatMap(pool -> pool.promise().taints().stream())
                    .filter(taint -> now.stream().anyMatch(toleration -> toleration.tolerates(taint))
                            && before.stream().noneMatch(toleration -> toleration.tolerates(taint)))
                    .forEach(taint -> assertThat(tier.pools())
                            .anyMatch(pool -> pool.promise().taints().stream()
                                    // A taint without a value is tolerated whatever its value.
                                    .anyMatch(promised -> promised.equals(taint)
                                            || promised.key().equals(taint.key())
                                                    && promised.effect().equals(taint.effect())
                                                    && promised.valueOrEmpty().isEmpty())));
        });
    }

    @Property(tries = TRIES, seed = SEED)
    void welcomesNodesInTheOrderOfTheTiersPools(@ForAll Random random) {
        onCompleted(random, (trial, after) -> {
            var shape = Shapes.of(Draft.of(after));
            var tier = trial.catalogue()
                    .tiers()
                    .get(after.at("/metadata/annotations").path(Names.TIER).asText());
            if (!trial.pod().at("/spec/affinity").isMissingNode()) {
                return; // the author's own preferences count too
            }
            var scores = tier.pools().stream()
                    .filter(pool -> eligible(shape, untainted(pool)))
                    .map(pool -> score(after, untainted(pool)))
                    .toList();
            assertThat(scores).isSortedAccordingTo((x, y) -> y - x);
            assertThat(scores.size()).isEqualTo(new HashSet<>(scores).size());
        });
    }

    private record Trial(RandomCluster cluster, Catalogue catalogue, ObjectNode pod) {}

    private static void onCompleted(Random random, BiConsumer<Trial, ObjectNode> check) {
        var cluster = new RandomCluster(random);
        var trial = new Trial(cluster, cluster.catalogue(), cluster.pod());
        var untouched = trial.pod().deepCopy();

        var decision = Samples.DECIDER.decide(Samples.request(trial.pod()), trial.catalogue());

        assertThat(trial.pod()).isEqualTo(untouched);
        assertThat(decision).isNotInstanceOf(Failed.class);
        if (decision instanceof Completed completed) {
            assertThat(completed.warnings()).allMatch(warning -> warning.length() <= 120);
            check.accept(trial, (ObjectNode) Samples.apply(completed.patch(), trial.pod()));
        }
    }

    private static boolean eligible(PodShape pod, NodeShape node) {
        return Fit.checkPlacement(pod, node).isEmpty();
    }

    /** By the labels that the pool promises, as anybody would tell; its name counts only for one that promises none. */
    private static boolean belongs(NodeShape node, Tier tier) {
        return tier.pools().stream().anyMatch(pool -> {
            var labels = new HashMap<>(pool.promise().labels());
            labels.remove(Names.POOL);
            var told = labels.isEmpty() ? Map.of(Names.POOL, pool.name()) : labels;
            return node.labels().entrySet().containsAll(told.entrySet());
        });
    }

    private static NodeShape untainted(Pool pool) {
        var promise = pool.promise();
        return new NodeShape(promise.name(), promise.labels(), List.of(), true, promise.allocatable());
    }

    private static int score(ObjectNode pod, NodeShape node) {
        int sum = 0;
        for (var term : pod.at("/spec/affinity/nodeAffinity/preferredDuringSchedulingIgnoredDuringExecution")) {
            boolean matches = true;
            for (var expression : term.at("/preference/matchExpressions")) {
                boolean among = false;
                for (var value : expression.path("values")) {
                    among |= value.asText()
                            .equals(node.labels().get(expression.path("key").asText()));
                }
                matches &= among == expression.path("operator").asText().equals("In");
            }
            sum += matches ? term.path("weight").asInt() : 0;
        }
        return sum;
    }

    private static void assertStartsWith(JsonNode list, JsonNode start) {
        for (int index = 0; index < start.size(); index++) {
            assertThat(list.get(index)).isEqualTo(start.get(index));
        }
    }

    private static void assertUnique(JsonNode list, String member, JsonNode authors) {
        var seen = new HashSet<String>();
        list.forEach(item -> assertThat(seen.add(item.path(member).asText()))
                .as("%s in %s, of the author: %s", member, list, authors)
                .isTrue());
    }

    private static ObjectNode withoutOurPlaces(ObjectNode pod) {
        var rest = pod.deepCopy();
        ((ObjectNode) rest.path("metadata")).remove("annotations");
        var spec = (ObjectNode) rest.path("spec");
        spec.remove(List.of("volumes", "tolerations", "schedulerName"));
        if (spec.path("affinity") instanceof ObjectNode affinity) {
            affinity.remove("nodeAffinity");
            if (affinity.isEmpty()) {
                spec.remove("affinity");
            }
        }
        for (var containers : List.of("containers", "initContainers")) {
            if (spec.path(containers) instanceof ArrayNode list) {
                for (var container : list) {
                    var object = (ObjectNode) container;
                    object.remove(List.of("env", "volumeMounts"));
                    if (object.path("resources") instanceof ObjectNode resources) {
                        for (var kind : List.of("limits", "requests")) {
                            if (resources.path(kind) instanceof ObjectNode amounts) {
                                amounts.remove(List.of("nvidia.com/gpu", "alpha.kubernetes.io/nvidia-gpu"));
                                if (amounts.isEmpty()) {
                                    resources.remove(kind);
                                }
                            }
                        }
                    }
                }
            }
        }
        return rest;
    }
}
