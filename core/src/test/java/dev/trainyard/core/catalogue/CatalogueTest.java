package dev.trainyard.core.catalogue;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.trainyard.core.api.TrainingClusterSpec;
import dev.trainyard.core.api.TrainingClusterSpec.NoticeMeaning;
import dev.trainyard.core.api.TrainingClusterSpec.NoticeQueueSpec;
import dev.trainyard.core.api.TrainingClusterSpec.OtherMessages;
import dev.trainyard.core.api.TrainingClusterSpec.SignStatus;
import dev.trainyard.core.api.TrainingPoolSpec;
import dev.trainyard.core.api.TrainingTierSpec;
import dev.trainyard.core.node.NodeShape;
import dev.trainyard.core.node.NoticeEntry;
import dev.trainyard.core.node.NoticeEntry.Sign;
import dev.trainyard.core.node.NoticeTable;
import dev.trainyard.core.pool.Pool;
import dev.trainyard.core.resource.Resources;
import dev.trainyard.core.tier.Tier;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CatalogueTest {

    private static final String SPOT = """
            provider: {kwok: {}}
            capacityType: spot
            promise: {labels: {gpu: "true", spot: "yes"}, allocatable: {nvidia.com/gpu: 1}}
            """;
    private static final String ON_DEMAND = """
            provider: {kwok: {}}
            capacityType: on-demand
            promise: {labels: {gpu: "true"}, allocatable: {nvidia.com/gpu: 1}}
            """;

    @Test
    void fillsInTheDefaults() {
        var pool = catalogue(Map.of("spot", SPOT), Map.of()).pools().get("spot");
        assertThat(pool.min()).isZero();
        assertThat(pool.max()).isEqualTo(Pool.DEFAULT_MAX).isEqualTo(100);
        assertThat(pool.provisionTimeout()).isEqualTo(Duration.ofMinutes(15));
        assertThat(pool.idleAfter()).isEqualTo(Duration.ofMinutes(10));
        assertThat(pool.promise().labels()).containsEntry("trainyard.dev/pool", "spot");
        assertThat(pool.promise().allocatable().get("pods")).isEqualTo(110);
        assertThat(pool.promisedGpus()).isEqualTo(1);
    }

    @Test
    void addsNoticesOfTheUserToTheBuiltInOnes() throws JsonProcessingException {
        var catalogue = Catalogue.EMPTY.with("default", settings("""
                notices:
                  - {taint: example.com/going, lead: 1m}
                  - {condition: Maintenance, startsWith: [Shutdown], meaning: Checkpoint}
                  - {condition: FabricHealthy, status: "False", meaning: Sick, lead: 5m}
                  - {label: example.com/broken, meaning: Sick}
                """));

        assertThat(catalogue.notices().taints())
                .containsKeys("example.com/going", "aws-node-termination-handler/spot-itn");
        assertThat(catalogue.notices().conditions().get("Maintenance"))
                .containsExactly(new NoticeEntry(
                        Sign.CONDITION,
                        "Maintenance",
                        NoticeMeaning.CHECKPOINT,
                        Duration.ofMinutes(2),
                        List.of("Shutdown"),
                        Map.of()));
        assertThat(catalogue.notices().conditions().get("FabricHealthy"))
                .containsExactly(new NoticeEntry(
                        Sign.CONDITION,
                        "FabricHealthy",
                        SignStatus.FALSE,
                        NoticeMeaning.SICK,
                        Duration.ofMinutes(5),
                        List.of(),
                        Map.of()));
        assertThat(catalogue.notices().labels()).containsKey("example.com/broken");
        assertThat(catalogue.problems()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{taint: a, annotation: b} | spec.notices[0]: exactly one of taint, condition, annotation and label must be set",
                "{lead: 1m}                | spec.notices[0]: exactly one of taint, condition, annotation and label must be set",
                "{condition: Ready}        | spec.notices[0].condition: 'Ready' is one of Kubernetes' own conditions, which neither announce the end of a machine nor say that it is broken",
                "{label: a, status: 'False'} | spec.notices[0].status: 'False' is only for conditions; remove the field, or name a condition",
                "{taint: a, lead: soon}    | spec.notices[0].lead: 'soon' is not a duration such as 90s, 15m or 1h30m",
            })
    void usesBuiltInNoticesIfThoseOfTheUserAreInvalid(String notice, String problem) throws JsonProcessingException {
        var catalogue = Catalogue.EMPTY.with("default", settings("notices: [%s]".formatted(notice)));

        assertThat(catalogue.problems())
                .extracting(Problem::toString)
                .containsExactly("TrainingCluster default: " + problem);
        assertThat(catalogue.notices()).isEqualTo(NoticeTable.BUILT_IN);
    }

    @Test
    void readsQueuesOfNotices() throws JsonProcessingException {
        var url = "https://sqs.eu-west-1.amazonaws.com/123456789012/trainyard-mine";
        var catalogue = Catalogue.EMPTY.with(
                "default", settings("noticeQueues: [{sqs: '%s', otherMessages: Delete}]".formatted(url)));

        assertThat(catalogue.noticeQueues()).containsExactly(new NoticeQueueSpec(url, OtherMessages.DELETE));
        assertThat(catalogue.problems()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "http://sqs.eu-west-1.amazonaws.com/123456789012/q",
                "https://sqs.eu-west-1.amazonaws.com/q",
                "https://example.com/123456789012/q",
                "arn:aws:sqs:eu-west-1:123456789012:q"
            })
    void refusesQueueThatIsNoUrlOfSqsAndKeepsNotices(String url) throws JsonProcessingException {
        var catalogue = Catalogue.EMPTY.with(
                "default", settings("{notices: [{taint: a}], noticeQueues: [{sqs: '%s'}]}".formatted(url)));

        assertThat(catalogue.problems())
                .extracting(Problem::message)
                .containsExactly(
                        "spec.noticeQueues[0].sqs: '%s' is not the URL of an SQS queue; expected a URL such as https://sqs.eu-west-1.amazonaws.com/123456789012/NAME"
                                .formatted(url));
        assertThat(catalogue.noticeQueues()).isEmpty();
        assertThat(catalogue.notices().taints()).containsKey("a");
    }

    private static TrainingClusterSpec settings(String yaml) throws JsonProcessingException {
        return new YAMLMapper().readValue(yaml, TrainingClusterSpec.class);
    }

    @Test
    void aPoolThatIsWrongDoesNotStopTheOthers() {
        var catalogue = catalogue(
                Map.of("good", ON_DEMAND, "wrong", SPOT + "min: 5\nmax: 2\n"), Map.of("tier", "pools: [wrong, good]"));
        assertThat(catalogue.pools()).containsOnlyKeys("good");
        assertThat(catalogue.tiers().get("tier").pools()).extracting(Pool::name).containsExactly("good");
        assertThat(catalogue.problems())
                .extracting(Problem::toString)
                .containsExactly(
                        "TrainingPool wrong: spec.max: 2 is less than spec.min, which is 5",
                        "TrainingTier tier: spec.pools: TrainingPool 'wrong' cannot be used until it is fixed");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "azureScaleSet: {subscriptionId: s, resourceGroup: g, name: n} | azureScaleSet: {subscriptionId: S, resourceGroup: G, name: N}",
                "azureVirtualMachines: {subscriptionId: s, resourceGroup: g, namePrefix: k8s-a-} | azureVirtualMachines: {subscriptionId: s, resourceGroup: G, namePrefix: K8S-a-}",
                "azureVirtualMachines: {subscriptionId: s, resourceGroup: g, namePrefix: k8s-a-} | azureVirtualMachines: {subscriptionId: s, resourceGroup: g, namePrefix: k8s-a-1}",
                "awsAutoScalingGroup: {region: r, name: n} | awsAutoScalingGroup: {region: r, name: n}"
            })
    void neitherOfTwoPoolsWithTheSameMachinesIsUsed(String one, String other) {
        var catalogue = catalogue(
                Map.of("one", provider(one), "other", provider(other), "third", SPOT),
                Map.of("tier", "pools: [other, third]"));
        assertThat(catalogue.pools()).containsOnlyKeys("third");
        assertThat(catalogue.tiers().get("tier").pools()).extracting(Pool::name).containsExactly("third");
        assertThat(catalogue.problems()).extracting(Problem::name).containsExactly("one", "other", "tier");
        assertThat(catalogue.problems().get(0).message())
                .startsWith("spec.provider." + one.substring(0, one.indexOf(':')))
                .contains("the same machines as TrainingPool 'other'");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "azureScaleSet: {subscriptionId: s, resourceGroup: g, name: n} | azureScaleSet: {subscriptionId: s, resourceGroup: g, name: n1}",
                "azureScaleSet: {subscriptionId: s, resourceGroup: g, name: n} | azureScaleSet: {subscriptionId: s, resourceGroup: h, name: n}",
                "azureScaleSet: {subscriptionId: s, resourceGroup: g, name: n} | azureScaleSet: {subscriptionId: t, resourceGroup: g, name: n}",
                "azureVirtualMachines: {subscriptionId: s, resourceGroup: g, namePrefix: k8s-a-} | azureVirtualMachines: {subscriptionId: s, resourceGroup: g, namePrefix: k8s-a-1-}",
                "azureVirtualMachines: {subscriptionId: s, resourceGroup: g, namePrefix: k8s-a-} | azureVirtualMachines: {subscriptionId: s, resourceGroup: h, namePrefix: k8s-a-}",
                "azureVirtualMachines: {subscriptionId: s, resourceGroup: g, namePrefix: k8s-a-} | azureVirtualMachines: {subscriptionId: t, resourceGroup: g, namePrefix: k8s-a-}",
                "awsAutoScalingGroup: {region: r, name: n} | awsAutoScalingGroup: {region: q, name: n}",
                "awsAutoScalingGroup: {region: r, name: n} | awsAutoScalingGroup: {region: r, name: m}"
            })
    void poolsWhoseResourcesAreMerelyAlikeAreBothUsed(String one, String other) {
        var catalogue = catalogue(Map.of("one", provider(one), "other", provider(other)), Map.of());
        assertThat(catalogue.pools()).containsOnlyKeys("one", "other");
        assertThat(catalogue.problems()).isEmpty();
    }

    private static String provider(String named) {
        return SPOT.replace("kwok: {}", named);
    }

    @Test
    void saysWhichPoolsThereAreWhenATierNamesAnother() {
        var catalogue = catalogue(Map.of("spot", SPOT), Map.of("tier", "pools: [spto, spot]"));
        assertThat(catalogue.problems())
                .containsExactly(new Problem(
                        "TrainingTier", "tier", "spec.pools: there is no TrainingPool 'spto'; there are: spot"));
        assertThat(catalogue.tiers().get("tier").pools()).extracting(Pool::name).containsExactly("spot");
    }

    @Test
    void namesFieldAndValueOfWhatCannotBeUsed() {
        assertThat(problem(SPOT + "hourlyPrice: cheap\n"))
                .isEqualTo("spec.hourlyPrice: 'cheap' is not a price such as 0.61");
        assertThat(problem(SPOT + "provisionTimeout: soon\n"))
                .isEqualTo("spec.provisionTimeout: 'soon' is not a duration such as 90s, 15m or 1h30m");
        assertThat(problem(SPOT + "scaleDown: {utilizationBelow: '7'}\n"))
                .isEqualTo("spec.scaleDown.utilizationBelow: '7' is not a share between 0 and 1, such as 0.5");
        assertThat(
                        problem(
                                "capacityType: spot\npromise: {}\nprovider: {kwok: {}, awsAutoScalingGroup: {region: r, name: n}}"))
                .isEqualTo("spec.provider: names [awsAutoScalingGroup, kwok], expected exactly one of azureScaleSet,"
                        + " azureVirtualMachines, awsAutoScalingGroup, kwok");
        assertThat(problem("capacityType: spot\npromise: {allocatable: {cpu: few}}\nprovider: {kwok: {}}"))
                .startsWith("spec.promise.allocatable cpu is 'few'; expected a Kubernetes quantity");
    }

    @Test
    void aTierWithHolesIsAProblem() {
        var holes = Map.of("a", "pools: [spot]\ndefault: {}", "b", "pools: [spot, null]");
        assertThat(catalogue(Map.of("spot", SPOT), holes).problems())
                .extracting(Problem::toString)
                .containsExactly(
                        "TrainingTier a: spec.default.gpus: missing, expected a range such as {min: 1, max: 4}",
                        "TrainingTier b: spec.pools: [spot, null] has an empty item, expected names");
    }

    /** If the pool were used, the API server would reject every pod of the pool's tiers, with an error for the pod's author. */
    @Test
    void aPoolWhoseLabelsAndTaintsNoNodeCanHaveIsNotUsed() {
        var promise = "capacityType: spot\nprovider: {kwok: {}}\npromise: {%s}";
        assertThat(problem(promise.formatted("labels: {gpu type: k80}")))
                .startsWith("spec.promise.labels: 'gpu type' is not a valid key; expected up to 63 letters");
        assertThat(problem(promise.formatted("labels: {example.com/gpu: k80 or so}")))
                .startsWith("spec.promise.labels example.com/gpu: 'k80 or so' is not a valid value; expected");
        assertThat(problem(promise.formatted("labels: {gpu: null}")))
                .isEqualTo("spec.promise.labels gpu: missing, expected a value; \"\" is allowed");
        assertThat(problem(promise.formatted("taints: [{key: -gpu, effect: NoSchedule}]")))
                .startsWith("spec.promise.taints: '-gpu' is not a valid key");
        assertThat(problem(promise.formatted(
                        "taints: [{key: gpu, value: %s, effect: NoSchedule}]".formatted("k".repeat(64)))))
                .startsWith("spec.promise.taints gpu: 'kkk");
        assertThat(problem(promise.formatted("taints: [{key: gpu, effect: NoScheduling}]")))
                .isEqualTo(
                        "spec.promise.taints gpu: effect 'NoScheduling' is not one of NoSchedule, PreferNoSchedule, NoExecute");
        var fine = "labels: {kubernetes.azure.com/scalesetpriority: spot, gpu: 'true', a.b_c-D: ''}";
        assertThat(catalogue(Map.of("spot", promise.formatted(fine)), Map.of()).problems())
                .isEmpty();
    }

    @Test
    void aPoolOrTierThatSaysNonsenseOfItsGpusIsAProblemAndIsNotUsed() {
        assertThat(problem(SPOT.replace("promise: {", "promise: {gpu: {memory: 16GB}, ")))
                .isEqualTo("spec.promise.gpu.memory: '16GB' is not the memory of a GPU, such as 16Gi");
        var catalogue = catalogue(
                Map.of("spot", SPOT),
                Map.of("tier", "pools: [spot]\ndriver: {mode: hostPath, extraLibraries: [lib/relative.so]}"));
        assertThat(catalogue.tiers()).isEmpty();
        assertThat(catalogue.problems())
                .extracting(Problem::toString)
                .containsExactly(
                        "TrainingTier tier: spec.driver.extraLibraries[0]: 'lib/relative.so' is invalid; expected an absolute path"
                                + " without colons, '.' and '..' of a file, such as /usr/lib/x86_64-linux-gnu/libcuda.so.1");
    }

    @Test
    void knowsANodesPoolByItsLabelFirst() {
        var catalogue = catalogue(Map.of("spot", SPOT, "ondemand", ON_DEMAND), Map.of());
        var labelled = node(Map.of("trainyard.dev/pool", "spot", "gpu", "true"));
        assertThat(catalogue.poolOf(labelled)).map(Pool::name).contains("spot");
        assertThat(catalogue.poolOf(node(Map.of("trainyard.dev/pool", "gone", "gpu", "true"))))
                .isEmpty();
    }

    @Test
    void knowsAnUnlabelledNodesPoolByThePromiseItKeeps() {
        var catalogue = catalogue(Map.of("spot", SPOT, "z-ondemand", ON_DEMAND), Map.of());
        assertThat(catalogue.poolOf(node(Map.of("gpu", "true", "other", "x"))))
                .map(Pool::name)
                .contains("z-ondemand");
        assertThat(catalogue.poolOf(node(Map.of("other", "x")))).isEmpty();
    }

    @Test
    void givesAnUnlabelledNodeToThePoolThatPromisesMostOfItsLabels() {
        var catalogue = catalogue(Map.of("light-ondemand", ON_DEMAND, "light-spot", SPOT), Map.of());
        assertThat(catalogue.poolOf(node(Map.of("gpu", "true", "spot", "yes"))))
                .map(Pool::name)
                .contains("light-spot");
    }

    @Test
    void givesAnUnlabelledNodeToNobodyWhenTwoPoolsMayClaimIt() {
        var twins = catalogue(Map.of("a", ON_DEMAND, "b", ON_DEMAND), Map.of());
        assertThat(twins.poolOf(node(Map.of("gpu", "true")))).isEmpty();
        var crossed = catalogue(Map.of("a", SPOT, "b", ON_DEMAND.replace("gpu", "zone")), Map.of());
        assertThat(crossed.poolOf(node(Map.of("gpu", "true", "spot", "yes", "zone", "true"))))
                .isEmpty();
    }

    private static NodeShape node(Map<String, String> labels) {
        return new NodeShape("n", labels, List.of(), true, Resources.NONE);
    }

    private static String problem(String pool) {
        return catalogue(Map.of("p", pool), Map.of()).problems().get(0).message();
    }

    @Test
    void aTierHasTimeForCheckpointsInWholeSeconds() {
        var tiers = catalogue(
                        Map.of("spot", SPOT),
                        Map.of(
                                "short", "pools: [spot]\ncheckpoint: {grace: 1500ms, annotationsFile: true}",
                                "plain", "pools: [spot]"))
                .tiers();

        assertThat(tiers.get("short").checkpoint()).isEqualTo(new Tier.Checkpoint(Duration.ofSeconds(2), true));
        assertThat(tiers.get("plain").checkpoint()).isEqualTo(Tier.Checkpoint.NONE);
    }

    @Test
    void aTierWithoutTimeForCheckpointsIsAProblem() {
        var catalogue = catalogue(Map.of("spot", SPOT), Map.of("tier", "pools: [spot]\ncheckpoint: {grace: 0s}"));

        assertThat(catalogue.tiers()).isEmpty();
        assertThat(catalogue.problems())
                .extracting(Problem::toString)
                .containsExactly(
                        "TrainingTier tier: spec.checkpoint.grace: '0s' is not greater than 0s; durations look like 90s, 15m or 1h30m");
    }

    @Test
    void aTierWithMoreThanADayForCheckpointsIsAProblem() {
        var catalogue = catalogue(Map.of("spot", SPOT), Map.of("tier", "pools: [spot]\ncheckpoint: {grace: 25h}"));

        assertThat(catalogue.problems())
                .extracting(Problem::toString)
                .containsExactly("TrainingTier tier: spec.checkpoint.grace: '25h' is longer than 24h");
    }

    @Test
    void aTierIgnoresReclaimsOfJobsThatNobodyElseManagesUnlessItSaysOtherwise() {
        var tiers = catalogue(
                        Map.of("spot", SPOT),
                        Map.of(
                                "plain", "pools: [spot]",
                                "part", "pools: [spot]\njobs: {includeManaged: true}",
                                "none", "pools: [spot]\njobs: {ignoreReclaims: false}"))
                .tiers();

        assertThat(tiers.get("plain").jobs()).isEqualTo(new Tier.Jobs(true, false));
        assertThat(tiers.get("part").jobs()).isEqualTo(new Tier.Jobs(true, true));
        assertThat(tiers.get("none").jobs()).isEqualTo(new Tier.Jobs(false, false));
    }

    @Test
    void aTierReturnsPodsToSpotOnlyIfItSaysSo() {
        var tiers = catalogue(
                        Map.of("spot", SPOT),
                        Map.of(
                                "plain", "pools: [spot]",
                                "usual", "pools: [spot]\nreturnToSpot: {}",
                                "own", "pools: [spot]\nreturnToSpot: {after: 2h, atMost: 8}"))
                .tiers();

        assertThat(tiers.get("plain").returnToSpot()).isEmpty();
        assertThat(tiers.get("usual").returnToSpot()).contains(new Tier.ReturnToSpot(Duration.ofMinutes(30), 2));
        assertThat(tiers.get("own").returnToSpot()).contains(new Tier.ReturnToSpot(Duration.ofHours(2), 8));
    }

    @Test
    void gangsLeaveTogetherOnlyIfTheTierSaysSo() {
        var tiers = catalogue(
                        Map.of("spot", SPOT),
                        Map.of("plain", "pools: [spot]", "together", "pools: [spot]\ngangsLeaveTogether: true"))
                .tiers();

        assertThat(tiers.get("plain").gangsLeaveTogether()).isFalse();
        assertThat(tiers.get("together").gangsLeaveTogether()).isTrue();
    }

    @Test
    void poolsThatATierPrefersEquallyHaveTheSameRank() {
        var tier = catalogue(
                        Map.of("a", ON_DEMAND, "b", ON_DEMAND, "c", ON_DEMAND, "d", ON_DEMAND),
                        Map.of("t", "pools: [d, gone, c, b, a]\nequallyPreferred: [[b, gone, c]]"))
                .tiers()
                .get("t");

        assertThat(tier.ranks()).isEqualTo(Map.of("d", 0, "c", 1, "b", 1, "a", 2));
        assertThat(tier.rank("outside")).isEqualTo(4);
    }

    @ParameterizedTest
    @ValueSource(strings = {"[[a, c]]", "[[a]]", "[[a, d]]", "[[]]", "[null]", "[[a, a]]", "[[a, null]]"})
    void aGroupOfEquallyPreferredPoolsListsPoolsThatFollowEachOther(String groups) {
        var catalogue = catalogue(
                Map.of("a", ON_DEMAND, "b", ON_DEMAND, "c", ON_DEMAND),
                Map.of("t", "pools: [a, b, c]\nequallyPreferred: " + groups));

        assertThat(catalogue.tiers()).isEmpty();
        assertThat(catalogue.problems())
                .extracting(Problem::message)
                .singleElement()
                .asString()
                .startsWith("spec.equallyPreferred: ")
                .endsWith(
                        " is not a group of two or more pools that follow each other in spec.pools, which is [a, b, c]");
    }

    @Test
    void aPoolIsInOneGroupOfEquallyPreferredPools() {
        var catalogue = catalogue(
                Map.of("a", ON_DEMAND, "b", ON_DEMAND, "c", ON_DEMAND),
                Map.of("t", "pools: [a, b, c]\nequallyPreferred: [[a, b], [b, c]]"));

        assertThat(catalogue.problems())
                .extracting(Problem::message)
                .containsExactly("spec.equallyPreferred: [[a, b], [b, c]] names pool b twice");
    }

    @Test
    void podsMayStateDeadlinesOnlyIfTheTierSaysSo() {
        var tiers = catalogue(
                        Map.of("spot", SPOT), Map.of("plain", "pools: [spot]", "own", "pools: [spot]\ndeadlines: true"))
                .tiers();

        assertThat(tiers.get("plain").deadlines()).isFalse();
        assertThat(tiers.get("own").deadlines()).isTrue();
    }

    @Test
    void aTierThatReturnsNoPodOrReturnsPodsAtOnceIsAProblem() {
        var catalogue = catalogue(
                Map.of("spot", SPOT),
                Map.of(
                        "none", "pools: [spot]\nreturnToSpot: {atMost: 0}",
                        "once", "pools: [spot]\nreturnToSpot: {after: 0s}"));

        assertThat(catalogue.problems())
                .extracting(Problem::toString)
                .containsExactlyInAnyOrder(
                        "TrainingTier none: spec.returnToSpot.atMost: 0 is not a number of pods, expected 1 or more",
                        "TrainingTier once: spec.returnToSpot.after: '0s' is not greater than 0s; durations look like 90s, 15m or 1h30m");
    }

    private static Catalogue catalogue(Map<String, String> pools, Map<String, String> tiers) {
        return Catalogue.of(read(pools, TrainingPoolSpec.class), read(tiers, TrainingTierSpec.class));
    }

    private static <T> Map<String, T> read(Map<String, String> texts, Class<T> type) {
        var yaml = new YAMLMapper();
        return texts.entrySet().stream().collect(Collectors.toMap(Map.Entry::getKey, entry -> {
            try {
                return yaml.readValue(entry.getValue(), type);
            } catch (JsonProcessingException e) {
                throw new IllegalArgumentException(e);
            }
        }));
    }
}
