package dev.trainyard.webhook.decision;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.trainyard.core.Names;
import dev.trainyard.core.catalogue.Catalogue;
import dev.trainyard.core.fit.Fit;
import dev.trainyard.core.node.NodeShape;
import dev.trainyard.core.pod.PodShape;
import dev.trainyard.core.pool.Pool;
import dev.trainyard.core.resource.Resources;
import dev.trainyard.core.tier.Tier;
import dev.trainyard.webhook.decision.Decision.Completed;
import dev.trainyard.webhook.decision.Decision.Failed;
import dev.trainyard.webhook.decision.Decision.Malformed;
import dev.trainyard.webhook.patch.Draft;
import dev.trainyard.webhook.pod.PodShapes;
import io.fabric8.kubernetes.api.model.Quantity;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.BiConsumer;
import java.util.regex.Pattern;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.statistics.Statistics;

/** Properties of every decision, for random pods, pools and tiers. */
class PodDeciderPropertiesTest {

    private static final int TRIES = 1500;
    private static final String SEED = "42";

    /**
     * The least share of completed pods, in percent of all tries. Without this limit, a decider that completes no pod would pass all other
     * checks.
     */
    private static final double LEAST_COMPLETED = 50;

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
        onCompleted(
                random,
                (trial, after) -> assertThat(OurPlaces.cutFrom(after)).isEqualTo(OurPlaces.cutFrom(trial.pod())));
    }

    @Property(tries = TRIES, seed = SEED)
    void keepsAllThatTheAuthorListed(@ForAll Random random) {
        onCompleted(random, (trial, after) -> OurPlaces.assertKept(trial.pod(), after));
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
    void mountsNothingOverIntoOrAroundWhatTheAuthorMounted(@ForAll Random random) {
        onCompleted(random, (trial, after) -> {
            for (var containers : List.of("/spec/containers", "/spec/initContainers")) {
                for (int index = 0; index < after.at(containers).size(); index++) {
                    var mounts = after.at(containers).get(index).path("volumeMounts");
                    int authors = trial.pod()
                            .at(containers)
                            .get(index)
                            .path("volumeMounts")
                            .size();
                    for (int own = 0; own < authors; own++) {
                        for (int ours = authors; ours < mounts.size(); ours++) {
                            var one = Path.of(mounts.get(own).path("mountPath").asText());
                            var other =
                                    Path.of(mounts.get(ours).path("mountPath").asText());
                            assertThat(one.startsWith(other) || other.startsWith(one))
                                    .as("%s and %s", one, other)
                                    .isFalse();
                        }
                    }
                }
            }
        });
    }

    @Property(tries = TRIES, seed = SEED)
    void hasTheGraceOfItsTierButNeverLessThanTheAuthors(@ForAll Random random) {
        onCompleted(random, (trial, after) -> {
            var tier = trial.catalogue()
                    .tiers()
                    .get(after.at("/metadata/annotations").path(Names.TIER).asText());
            long before = trial.pod().at("/spec/terminationGracePeriodSeconds").asLong(30);

            assertThat(after.at("/spec/terminationGracePeriodSeconds").asLong(30))
                    .isEqualTo(Math.max(before, tier.checkpoint().grace().toSeconds()));
        });
    }

    @Property(tries = TRIES, seed = SEED)
    void mayRunOnNodesWhereItMightBeforeAndThatBelongToAPoolOfItsTierThatMayMeetItsWish(@ForAll Random random) {
        onCompleted(random, (trial, after) -> {
            var shapeBefore = PodShapes.of(Draft.of(trial.pod()));
            var shapeAfter = PodShapes.of(Draft.of(after));
            var tier = trial.catalogue()
                    .tiers()
                    .get(after.at("/metadata/annotations").path(Names.TIER).asText());
            boolean placed = !after.at("/metadata/annotations")
                    .path(Names.INJECTED)
                    .asText()
                    .contains("no placement");
            for (int count = 0; count < 8; count++) {
                var node = trial.cluster().node(trial.catalogue());
                boolean wanted = eligible(shapeBefore, node) && belongs(node, tier, trial.pod());
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
    void isOfADefaultTierOnlyIfThatHasAPoolThatMayMeetItsWish(@ForAll Random random) {
        onCompleted(random, (trial, after) -> {
            if (trial.pod().at("/metadata/annotations").path(Names.TIER).isMissingNode()) {
                var tier = trial.catalogue()
                        .tiers()
                        .get(after.at("/metadata/annotations").path(Names.TIER).asText());

                assertThat(tier.pools()).anyMatch(pool -> mayMeet(pool, trial.pod()));
            }
        });
    }

    @Property(tries = TRIES, seed = SEED)
    void toleratesWhatItDidAndTheTaintsOfItsTierOnly(@ForAll Random random) {
        onCompleted(random, (trial, after) -> {
            var before = PodShapes.of(Draft.of(trial.pod())).tolerations();
            var now = PodShapes.of(Draft.of(after)).tolerations();
            var tier = trial.catalogue()
                    .tiers()
                    .get(after.at("/metadata/annotations").path(Names.TIER).asText());
            trial.catalogue().pools().values().stream()
                    .flatMap(pool -> pool.promise().taints().stream())
                    .filter(taint -> now.stream().anyMatch(toleration -> toleration.tolerates(taint))
                            && before.stream().noneMatch(toleration -> toleration.tolerates(taint)))
                    .forEach(taint -> assertThat(tier.pools())
                            .anyMatch(pool -> mayMeet(pool, trial.pod())
                                    && pool.promise().taints().stream()
                                            .anyMatch(promised -> promised.key().equals(taint.key())
                                                    && promised.effect().equals(taint.effect())
                                                    && promised.valueOrEmpty().equals(taint.valueOrEmpty()))));
        });
    }

    @Property(tries = TRIES, seed = SEED)
    void welcomesNodesInTheOrderOfTheRanksOfTheTiersPools(@ForAll Random random) {
        onCompleted(random, (trial, after) -> {
            var shape = PodShapes.of(Draft.of(after));
            var tier = trial.catalogue()
                    .tiers()
                    .get(after.at("/metadata/annotations").path(Names.TIER).asText());
            if (!trial.pod().at("/spec/affinity").isMissingNode()) {
                return; // the author's own preferences also influence the order
            }
            var open = tier.pools().stream()
                    .filter(pool -> mayMeet(pool, trial.pod()) && eligible(shape, untainted(pool)))
                    .toList();
            for (var pool : open) {
                assertThat(open.stream().filter(later -> tier.rank(later.name()) > tier.rank(pool.name())))
                        .allMatch(later -> score(after, untainted(later)) < score(after, untainted(pool)));
            }
        });
    }

    @Property(tries = TRIES, seed = SEED)
    void holdsThePlacedPodsOfWholeGangsThatNothingElseHoldsOrStarts(@ForAll Random random) {
        onCompleted(random, (trial, after) -> {
            var annotations = after.at("/metadata/annotations");
            var tier =
                    trial.catalogue().tiers().get(annotations.path(Names.TIER).asText());
            boolean hasGang = (annotations.has(Names.GANG) || annotations.has(Names.GANG_SIZE))
                    && !annotations.path(Names.GANG).asText().equals("none");
            boolean isPlaced = !annotations.path(Names.INJECTED).asText().contains("no placement");
            var before = gates(trial.pod());
            boolean isHeldOrStartedByOthers = !before.isEmpty()
                    || trial.pod().path("spec").has("schedulingGroup")
                    || !after.at("/spec/schedulerName").asText().equals(Names.SCHEDULER);
            boolean isHeld = tier.gangsStartWhole() && hasGang && isPlaced && !isHeldOrStartedByOthers;

            assertThat(gates(after)).isEqualTo(isHeld ? List.of(Names.GANG_GATE) : before);
        });
    }

    private static List<String> gates(ObjectNode pod) {
        return pod.at("/spec/schedulingGates").findValuesAsText("name");
    }

    private record Trial(RandomCluster cluster, Catalogue catalogue, ObjectNode pod) {}

    private static void onCompleted(Random random, BiConsumer<Trial, ObjectNode> check) {
        var cluster = new RandomCluster(random);
        var trial = new Trial(cluster, cluster.catalogue(), cluster.pod());
        var untouched = trial.pod().deepCopy();

        var decision = Samples.DECIDER.decide(Samples.request(trial.pod()), trial.catalogue());

        assertThat(trial.pod()).isEqualTo(untouched);
        Statistics.label("decision")
                .collect(decision.getClass().getSimpleName())
                .coverage(coverage -> coverage.check("Completed").percentage(share -> share > LEAST_COMPLETED));
        assertThat(decision).isNotInstanceOfAny(Malformed.class, Failed.class);
        if (decision instanceof Completed completed) {
            assertThat(completed.warnings()).allMatch(warning -> warning.length() <= 120);
            check.accept(trial, (ObjectNode) Samples.apply(completed.patch(), trial.pod()));
        }
    }

    private static boolean eligible(PodShape pod, NodeShape node) {
        return Fit.checkPlacement(pod, node).isEmpty();
    }

    /**
     * Whether the node belongs to the tier, by the labels that the tier's pools promise. The node's pool label matters only for pools
     * without other labels, and for pools whose GPUs do not suit the pod.
     */
    private static boolean belongs(NodeShape node, Tier tier, ObjectNode pod) {
        return tier.pools().stream().filter(pool -> mayMeet(pool, pod)).anyMatch(pool -> {
            var labels = new HashMap<>(pool.promise().labels());
            labels.remove(Names.POOL);
            var told = labels.isEmpty() ? Map.of(Names.POOL, pool.name()) : labels;
            boolean isOfAPoolLeftOut = tier.pools().stream()
                    .anyMatch(other -> !mayMeet(other, pod)
                            && other.name().equals(node.labels().get(Names.POOL)));
            return !isOfAPoolLeftOut && node.labels().entrySet().containsAll(told.entrySet());
        });
    }

    /** Whether the known kind of the pool's GPUs allows the pod's wish. A pod without GPUs has no wish. */
    private static boolean mayMeet(Pool pool, ObjectNode pod) {
        var product = pod.at("/metadata/annotations").path(Names.GPU_PRODUCT).asText("");
        var memory = pod.at("/metadata/annotations").path(Names.GPU_MEMORY).asText("");
        if (PodShapes.of(Draft.of(pod)).gpus() == 0) {
            return true;
        }
        boolean isAmong = product.isEmpty()
                || pool.gpu().product().isEmpty()
                || Pattern.compile("(?<![a-z0-9])(%s)(?![a-z0-9])".formatted(product), Pattern.CASE_INSENSITIVE)
                        .matcher(pool.gpu().product().get().name())
                        .find();
        boolean hasEnough = memory.isEmpty()
                || pool.gpu().memory().isEmpty()
                || Resources.parse("limits", Map.of("memory", Quantity.parse(memory)))
                                .get("memory")
                        <= pool.gpu().memory().getAsLong();
        return isAmong && hasEnough;
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

    private static void assertUnique(JsonNode list, String member, JsonNode authors) {
        var seen = new HashSet<String>();
        list.forEach(item -> assertThat(seen.add(item.path(member).asText()))
                .as("%s in %s, of the author: %s", member, list, authors)
                .isTrue());
    }
}
