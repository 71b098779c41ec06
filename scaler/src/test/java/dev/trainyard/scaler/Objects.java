package dev.trainyard.scaler;

import dev.trainyard.core.Names;
import dev.trainyard.core.api.ProviderSpec;
import dev.trainyard.core.api.ProviderSpec.Kwok;
import dev.trainyard.core.api.TrainingPoolSpec;
import dev.trainyard.core.api.TrainingPoolSpec.CapacityType;
import dev.trainyard.core.api.TrainingPoolSpec.PromiseSpec;
import dev.trainyard.core.api.TrainingPoolSpec.ScaleDownSpec;
import dev.trainyard.core.api.TrainingPoolSpec.SickSpec;
import dev.trainyard.core.api.TrainingTierSpec;
import dev.trainyard.core.pool.Pool;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.Taint;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Kubernetes objects for tests, as the API server would hold them. */
public final class Objects {

    public static final Instant NOON = Instant.parse("2026-01-01T12:00:00Z");

    private Objects() {}

    /** A pool of the simulated cloud, with defaults that a test can change. */
    public record PoolBuilder(
            CapacityType type,
            int min,
            int max,
            int spare,
            Map<String, Quantity> allocatable,
            String price,
            Kwok kwok,
            String provisionTimeout,
            ScaleDownSpec scaleDown) {

        public PoolBuilder min(int value) {
            return new PoolBuilder(type, value, max, spare, allocatable, price, kwok, provisionTimeout, scaleDown);
        }

        public PoolBuilder max(int value) {
            return new PoolBuilder(type, min, value, spare, allocatable, price, kwok, provisionTimeout, scaleDown);
        }

        public PoolBuilder spare(int value) {
            return new PoolBuilder(type, min, max, value, allocatable, price, kwok, provisionTimeout, scaleDown);
        }

        public PoolBuilder price(String value) {
            return new PoolBuilder(type, min, max, spare, allocatable, value, kwok, provisionTimeout, scaleDown);
        }

        public PoolBuilder kwok(Kwok value) {
            return new PoolBuilder(type, min, max, spare, allocatable, price, value, provisionTimeout, scaleDown);
        }

        public PoolBuilder provisionTimeout(String value) {
            return new PoolBuilder(type, min, max, spare, allocatable, price, kwok, value, scaleDown);
        }

        public PoolBuilder idleAfter(String value) {
            return scaleDown(new ScaleDownSpec(
                    value, scaleDown.utilizationBelow(), scaleDown.drainGrace(), scaleDown.billingIncrement()));
        }

        public PoolBuilder utilizationBelow(String value) {
            return scaleDown(new ScaleDownSpec(
                    scaleDown.idleAfter(), value, scaleDown.drainGrace(), scaleDown.billingIncrement()));
        }

        public PoolBuilder drainGrace(String value) {
            return scaleDown(new ScaleDownSpec(
                    scaleDown.idleAfter(), scaleDown.utilizationBelow(), value, scaleDown.billingIncrement()));
        }

        public PoolBuilder billingIncrement(String value) {
            return scaleDown(new ScaleDownSpec(
                    scaleDown.idleAfter(), scaleDown.utilizationBelow(), scaleDown.drainGrace(), value));
        }

        public PoolBuilder sick(String keepFor, String atMost) {
            return scaleDown(new ScaleDownSpec(
                    scaleDown.idleAfter(),
                    scaleDown.utilizationBelow(),
                    scaleDown.drainGrace(),
                    scaleDown.billingIncrement(),
                    new SickSpec(keepFor, atMost)));
        }

        private PoolBuilder scaleDown(ScaleDownSpec value) {
            return new PoolBuilder(type, min, max, spare, allocatable, price, kwok, provisionTimeout, value);
        }

        public PoolBuilder holding(String resource, String amount) {
            var changed = new HashMap<>(allocatable);
            changed.put(resource, new Quantity(amount));
            return new PoolBuilder(type, min, max, spare, changed, price, kwok, provisionTimeout, scaleDown);
        }

        public TrainingPoolSpec spec() {
            return spec(new ProviderSpec(null, null, null, kwok));
        }

        /** Returns the spec of a pool of another cloud. */
        public TrainingPoolSpec spec(ProviderSpec provider) {
            return new TrainingPoolSpec(
                    provider,
                    type,
                    min,
                    max,
                    spare,
                    new PromiseSpec(Map.of("type", type.toString()), List.of(), allocatable, null, null),
                    price,
                    provisionTimeout,
                    scaleDown);
        }
    }

    public static PoolBuilder spot(int gpus) {
        return pool(CapacityType.SPOT, gpus);
    }

    public static PoolBuilder onDemand(int gpus) {
        return pool(CapacityType.ON_DEMAND, gpus);
    }

    private static PoolBuilder pool(CapacityType type, int gpus) {
        var allocatable = new HashMap<String, Quantity>();
        allocatable.put("cpu", new Quantity("6"));
        allocatable.put("memory", new Quantity("56Gi"));
        allocatable.put("pods", new Quantity("110"));
        if (gpus > 0) {
            allocatable.put("nvidia.com/gpu", new Quantity(Integer.toString(gpus)));
        }
        return new PoolBuilder(
                type,
                0,
                100,
                0,
                allocatable,
                null,
                new Kwok(null, "3s", "2s", "1s"),
                "15m",
                new ScaleDownSpec("10m", "0.5", null, null));
    }

    /** Returns a tier whose trainings can resume, and may state deadlines. */
    public static TrainingTierSpec tier(String... pools) {
        return TrainingTierSpec.builder(List.of(pools))
                .fallbackAfter("3m")
                .resumable(true)
                .deadlines(true)
                .build();
    }

    /** Returns such a tier that prefers the pools of {@code group} equally. */
    public static TrainingTierSpec tier(List<String> group, String... pools) {
        return TrainingTierSpec.builder(List.of(pools))
                .equallyPreferred(List.of(group))
                .fallbackAfter("3m")
                .resumable(true)
                .deadlines(true)
                .build();
    }

    /** Returns a pod that trainyard-scheduler could not place. Unless {@code tier} is null, the webhook has completed the pod. */
    public static Pod waiting(String name, String tier, String... requests) {
        var builder = new PodBuilder(pod(name, requests))
                .editStatus()
                .addNewCondition()
                .withType("PodScheduled")
                .withStatus("False")
                .withReason("Unschedulable")
                .withMessage("0/1 nodes are available")
                .endCondition()
                .endStatus();
        if (tier != null) {
            builder.editMetadata()
                    .addToAnnotations(Names.TIER, tier)
                    .addToAnnotations(Names.INJECTED, "tier " + tier)
                    .endMetadata();
        }
        return builder.build();
    }

    /** Returns a pod of a Job that runs on {@code node} and can be resumed elsewhere. */
    public static Pod running(String name, String node, String... requests) {
        return new PodBuilder(pod(name, requests))
                .editMetadata()
                .addToAnnotations(Names.RESUMABLE, "true")
                .endMetadata()
                .editSpec()
                .withNodeName(node)
                .endSpec()
                .editStatus()
                .withPhase("Running")
                .endStatus()
                .build();
    }

    /** @param requests names of resources, each followed by its amount */
    private static Pod pod(String name, String... requests) {
        var amounts = new HashMap<String, Quantity>();
        for (int i = 0; i < requests.length; i += 2) {
            amounts.put(requests[i], new Quantity(requests[i + 1]));
        }
        return new PodBuilder()
                .withNewMetadata()
                .withName(name)
                .withNamespace("team")
                .withUid("uid-" + name)
                .withCreationTimestamp(NOON.toString())
                .addNewOwnerReference()
                .withApiVersion("batch/v1")
                .withKind("Job")
                .withName("job")
                .withUid("uid-job")
                .withController(true)
                .endOwnerReference()
                .endMetadata()
                .withNewSpec()
                .withSchedulerName(Names.SCHEDULER)
                .addNewContainer()
                .withName("main")
                .withNewResources()
                .withRequests(amounts)
                .endResources()
                .endContainer()
                .endSpec()
                .withNewStatus()
                .withPhase("Pending")
                .endStatus()
                .build();
    }

    /** Returns a Ready node with what the pool promises, but without Trainyard's own labels, which no kubelet sets. */
    public static Node node(String name, Pool pool) {
        var allocatable = new HashMap<String, Quantity>();
        pool.promise()
                .allocatable()
                .asMap()
                .forEach((resource, amount) -> allocatable.put(
                        resource, new Quantity(resource.equals("cpu") ? amount + "m" : Long.toString(amount))));
        return new NodeBuilder()
                .withNewMetadata()
                .withName(name)
                .withUid("uid-" + name)
                .withCreationTimestamp(NOON.toString())
                .withLabels(new HashMap<>(pool.ownLabels()))
                .withAnnotations(new HashMap<>())
                .endMetadata()
                .withNewSpec()
                .withTaints(pool.promise().taints().stream()
                        .map(taint -> new Taint(taint.effect(), taint.key(), null, taint.value()))
                        .toList())
                .endSpec()
                .withNewStatus()
                .withAllocatable(allocatable)
                .addNewCondition()
                .withType("Ready")
                .withStatus("True")
                .endCondition()
                .endStatus()
                .build();
    }

    /** Returns a Ready node with what the pool promises, and with the scaler's labels. */
    public static Node node(String name, String pool, TrainingPoolSpec spec) {
        var labels = new HashMap<>(spec.promise().labels());
        labels.put(Names.POOL, pool);
        labels.put(Names.CAPACITY_TYPE, spec.capacityType().toString());
        return new NodeBuilder()
                .withNewMetadata()
                .withName(name)
                .withUid("uid-" + name)
                .withCreationTimestamp(NOON.toString())
                .withLabels(labels)
                .withAnnotations(new HashMap<>())
                .endMetadata()
                .withNewSpec()
                .withProviderID("kwok://" + pool + "/" + name)
                .endSpec()
                .withNewStatus()
                .withAllocatable(new HashMap<>(spec.promise().allocatable()))
                .addNewCondition()
                .withType("Ready")
                .withStatus("True")
                .endCondition()
                .endStatus()
                .build();
    }

    /** Returns the node without Trainyard's own labels, as real clouds create it. */
    public static Node unlabelled(Node node) {
        return new NodeBuilder(node)
                .editMetadata()
                .removeFromLabels(Names.POOL)
                .removeFromLabels(Names.CAPACITY_TYPE)
                .endMetadata()
                .build();
    }
}
