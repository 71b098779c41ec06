package dev.trainyard.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.runtime.resource.TrainingTier;
import dev.trainyard.workshop.cluster.TestCluster;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLock;

/** Mistakes are reported to their author, in the place where the author looks, and affect nothing else. */
@WithTestCluster
@ResourceLock(value = WithTestCluster.EXAMPLE_POOLS, mode = ResourceAccessMode.READ)
class RefusalIT {

    private static final String SUBSCRIPTION = "00000000-0000-0000-0000-000000000000";
    private static final String POOL = """
            apiVersion: trainyard.dev/v1alpha1
            kind: TrainingPool
            metadata: {name: wrong}
            spec:
              provider: {kwok: {}}
              capacityType: spot
              promise: {allocatable: {nvidia.com/gpu: 1}}
            """;

    @Test
    void aPoolWhoseMaxIsBelowItsMinIsRefusedAtApply(TestCluster testCluster, TrainingGround ground) {
        assertThat(apply(ground, POOL + "  min: 5\n  max: 2\n"))
                .contains("spec.max")
                .contains("max must be at least min");
    }

    @Test
    void aPoolHasExactlyOneProvider(TestCluster testCluster, TrainingGround ground) {
        var two = POOL.replace("{kwok: {}}", "{kwok: {}, awsAutoScalingGroup: {region: eu-west-1, name: gpu-nodes}}");
        assertThat(apply(ground, two)).contains("spec.provider").contains("name exactly one of");
        assertThat(apply(ground, POOL.replace("{kwok: {}}", "{}"))).contains("name exactly one of");
    }

    @Test
    void anUnknownFieldIsRefusedWithItsPath(TestCluster testCluster, TrainingGround ground) {
        assertThat(apply(ground, POOL + "  maximum: 2\n")).contains("unknown field \"spec.maximum\"");
    }

    @Test
    void valuesOfTheWrongFormAreRefusedWithTheirPath(TestCluster testCluster, TrainingGround ground) {
        assertThat(apply(ground, POOL + "  provisionTimeout: soon\n")).contains("spec.provisionTimeout");
        assertThat(apply(ground, POOL + "  hourlyPrice: cheap\n")).contains("spec.hourlyPrice");
        assertThat(apply(ground, POOL.replace("capacityType: spot", "capacityType: free")))
                .contains("spec.capacityType")
                .contains("on-demand");
    }

    @Test
    void aPoolLargerThanItsScaleSetCanBeIsRefusedAtApply(TestCluster testCluster, TrainingGround ground) {
        assertThat(apply(ground, scaleSet("true", 101)))
                .contains("spec.max")
                .contains("max must be at most 100 with provider.azureScaleSet.singlePlacementGroup");
        assertThat(apply(ground, scaleSet("false", 1001))).contains("max must be at most 1000");
        assertThat(ground.kubectl("apply", "--dry-run=server", "-f", ground.file(scaleSet("false", 1000))))
                .contains("wrong created (server dry run)");
    }

    @Test
    void anImageIsNamedInOneWay(TestCluster testCluster, TrainingGround ground) {
        assertThat(apply(
                        ground,
                        machines(
                                "g",
                                "image: {id: /images/i, publisher: Canonical, offer: UbuntuServer, sku: 16.04-LTS}")))
                .contains("name either id, or publisher, offer and sku");
    }

    @Test
    void whatIsNoNameOfAnAzureResourceIsRefusedWithItsPath(TestCluster testCluster, TrainingGround ground) {
        assertThat(apply(ground, scaleSet("true", 1).replace(SUBSCRIPTION, "my-subscription")))
                .contains("spec.provider.azureScaleSet.subscriptionId");
        assertThat(apply(ground, scaleSet("true", 1).replace("vmss", "../vmss")))
                .contains("spec.provider.azureScaleSet.name");
        assertThat(apply(ground, machines("g/../h", ""))).contains("spec.provider.azureVirtualMachines.resourceGroup");
        assertThat(apply(ground, machines("g", "subnetId: /subscriptions/s/../t")))
                .contains("spec.provider.azureVirtualMachines.template.subnetId");
        assertThat(apply(ground, machines("g", "image: {id: \"/images/i?api-version=1\"}")))
                .contains("spec.provider.azureVirtualMachines.template.image.id");
        assertThat(apply(ground, machines("g", "customDataFile: agentpool1")))
                .contains("spec.provider.azureVirtualMachines.template.customDataFile");
    }

    private static String machines(String resourceGroup, String template) {
        return POOL.replace(
                "{kwok: {}}",
                "{azureVirtualMachines: {subscriptionId: %s, resourceGroup: %s, namePrefix: k8s-pool-1-, template: {%s}}}"
                        .formatted(SUBSCRIPTION, resourceGroup, template));
    }

    private static String scaleSet(String singlePlacementGroup, int max) {
        var provider = "{azureScaleSet: {subscriptionId: %s, resourceGroup: g, name: vmss, singlePlacementGroup: %s}}"
                .formatted(SUBSCRIPTION, singlePlacementGroup);
        return POOL.replace("{kwok: {}}", provider) + "  max: %d\n".formatted(max);
    }

    @Test
    void aTierNamesAPoolOnce(TestCluster testCluster, TrainingGround ground) {
        assertThat(apply(ground, tier("twice", "light-spot, light-spot"))).contains("pools must not name a pool twice");
    }

    @Test
    void whatAPoolSaysOfItsGpusIsCheckedAtApply(TestCluster testCluster, TrainingGround ground) {
        assertThat(apply(ground, POOL.replace("promise: {", "promise: {gpu: {memory: 16GB}, ")))
                .contains("spec.promise.gpu.memory")
                .contains("16GB");
        assertThat(apply(ground, POOL.replace("promise: {", "promise: {labels: {nvidia.com/gpu.memory: 16Gi}, ")))
                .contains("spec.promise.labels")
                .contains("must be a whole number of MiB");
    }

    @Test
    void whatATierSaysOfItsDriverIsCheckedAtApply(TestCluster testCluster, TrainingGround ground) {
        assertThat(apply(ground, driver("version: \"390\", root: /usr/lib/nvidia-384")))
                .contains("spec.driver.root")
                .contains("version and root exclude each other");
        assertThat(apply(ground, driver("version: latest"))).contains("spec.driver.version");
        assertThat(apply(ground, driver("root: usr/lib"))).contains("spec.driver.root");
        assertThat(apply(ground, driver("root: /usr/lib/../../etc")))
                .contains("spec.driver.root")
                .contains("must not have a part that is . or ..");
        assertThat(apply(ground, driver("extraLibraries: [/opt/a.so, lib/b.so]")))
                .contains("spec.driver.extraLibraries[1]")
                .contains("lib/b.so");
        assertThat(apply(ground, driver("extraLibraries: [/opt/../etc/shadow]")))
                .contains("extraLibraries must not have a part that is . or ..");
    }

    @Test
    void aTierThatNamesAnUnknownPoolSaysSoAndItsOtherPoolsWork(TestCluster testCluster, TrainingGround ground) {
        ground.kubectl("apply", "-f", ground.file(tier("half", "no-such-pool, light-spot")));
        try {
            var message = TrainingGround.await(
                    "a message on the tier",
                    () -> java.util.Optional.ofNullable(testCluster
                                    .client()
                                    .resources(TrainingTier.class)
                                    .withName("half")
                                    .require()
                                    .getStatus())
                            .map(status -> status.message())
                            .filter(text -> text.contains("no-such-pool")));
            assertThat(message)
                    .contains("there is no TrainingPool 'no-such-pool'")
                    .contains("light-spot");
            assertThat(ground.kubectl("get", "trainingtiers", "half")).contains("no-such-pool");

            ground.kubectl("create", "-f", ground.job("half", 1, 1, "trainyard.dev/tier: half"));
            TrainingGround.awaitTrue("the pod runs", () -> ground.placedPods().size() == 1);
        } finally {
            testCluster.kubectl().run("delete", "trainingtier", "half");
        }
    }

    @Test
    void aPodOfAnUnknownTierIsRefusedWithTheListOfTiers(TestCluster testCluster, TrainingGround ground) {
        var pod = """
                apiVersion: v1
                kind: Pod
                metadata: {name: p, annotations: {trainyard.dev/tier: no-such-tier}}
                spec:
                  containers: [{name: a, image: b, resources: {limits: {nvidia.com/gpu: 1}}}]
                """;
        assertThat(ground.kubectlFails("create", "-f", ground.file(pod)))
                .contains("no-such-tier")
                .contains("cpu")
                .contains("heavy-gpu")
                .contains("light-gpu");
    }

    @Test
    void aJobOfAnUnknownTierSaysSoInItsEvents(TestCluster testCluster, TrainingGround ground) {
        ground.kubectl("create", "-f", ground.job("unknown-tier", 1, 1, "trainyard.dev/tier: no-such-tier"));
        TrainingGround.awaitTrue(
                "the job's events name the tier",
                () -> ground.kubectl("describe", "job", "unknown-tier").contains("no-such-tier"));
        assertThat(ground.kubectl("describe", "job", "unknown-tier")).contains("light-gpu");
    }

    @Test
    void aPodThatFitsNoMachineSaysSoAndOthersGoOn(TestCluster testCluster, TrainingGround ground) {
        ground.kubectl("create", "-f", ground.job("too-big", 64, 1, ""));
        ground.kubectl("create", "-f", ground.job("small", 1, 1, ""));
        TrainingGround.awaitTrue("the small one runs", () -> ground.placedPods().size() == 1);
        var explained = TrainingGround.await(
                "an event about the big one",
                () -> ground.events().stream()
                        .filter(event -> event.startsWith("NotPlaceable"))
                        .findFirst());
        assertThat(explained).contains("64").contains("heavy");
        assertThat(ground.nodesOf("heavy-spot")).isEmpty();
        var big = ground.pods().stream()
                .filter(pod -> pod.getMetadata().getName().startsWith("too-big"))
                .findFirst()
                .orElseThrow();
        assertThat(ground.kubectl("describe", "pod", big.getMetadata().getName()))
                .contains("NotPlaceable");
    }

    private static String apply(TrainingGround ground, String yaml) {
        return ground.kubectlFails("apply", "-f", ground.file(yaml));
    }

    private static String driver(String members) {
        return tier("wrong", "light-spot").replace("]}", "], driver: {mode: hostPath, %s}}".formatted(members));
    }

    private static String tier(String name, String pools) {
        return """
                apiVersion: trainyard.dev/v1alpha1
                kind: TrainingTier
                metadata: {name: %s}
                spec: {pools: [%s]}
                """.formatted(name, pools);
    }
}
