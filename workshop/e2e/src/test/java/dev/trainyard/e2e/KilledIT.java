package dev.trainyard.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.trainyard.core.Names;
import dev.trainyard.e2e.Admissions.Outcome;
import dev.trainyard.e2e.ProcessTermination.Victim;
import dev.trainyard.local.ControlPlane;
import dev.trainyard.local.SimulatedMachines;
import dev.trainyard.local.process.FreePort;
import dev.trainyard.local.process.SupervisedProcess;
import dev.trainyard.workshop.cluster.InstalledComponent;
import dev.trainyard.workshop.cluster.ServerJvm;
import dev.trainyard.workshop.cluster.TestCluster;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Processes are terminated in all ways during a burst of pods, with two replicas of the webhook behind a Service. Afterwards every
 * placeable pod has run, each machine was launched for a pod, and none is left. {@code -Dtrainyard.rounds=20} runs more rounds than usual,
 * {@code -Dtrainyard.seed} selects others.
 */
@WithTestCluster
@Tag("disruptive")
@ResourceLock(WithTestCluster.WHOLE)
class KilledIT {

    private static final Logger log = LoggerFactory.getLogger(KilledIT.class);
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int ROUNDS = Integer.getInteger("trainyard.rounds", 3);
    private static final long SEED = Long.getLong("trainyard.seed", 1);
    private static final int PODS_BEFORE = 6;
    private static final int PODS_AFTER = 4;
    private static final String SHORT = SimulatedMachines.DURATION_ANNOTATION + ": 2s";
    private static final List<String> POOLS = List.of("light-spot", "light-ondemand", "heavy-spot", "heavy-ondemand");

    /** The maximum wait of the API server for a replica that has ended: the {@code timeoutSeconds} of its registration, plus a margin. */
    private static final Duration UNNOTICED = Duration.ofSeconds(5);

    /** Calls in progress are lost if a replica ends. An API server that did not switch to the other replica would lose dozens. */
    private static final int UNDER_WAY = 5;

    private static SupervisedProcess.Launch secondReplica;
    private static SupervisedProcess second;
    private static WebhookService service;

    @BeforeAll
    static void startSecondReplica(TestCluster testCluster) {
        int port = FreePort.onLoopback();
        int operations = FreePort.onLoopback();
        var command = new ArrayList<>(ServerJvm.command(InstalledComponent.WEBHOOK));
        command.addAll(List.of(
                "dev.trainyard.cli.Main",
                "webhook",
                "--kubeconfig="
                        + testCluster
                                .controlPlane()
                                .kubeconfigFor(
                                        "system:serviceaccount:trainyard-system:trainyard-webhook",
                                        List.of("system:serviceaccounts")),
                "--tls-dir=" + testCluster.controlPlane().dir().resolve("tls/webhook"),
                "--webhook-configuration=trainyard",
                "--listen=127.0.0.1:" + port,
                "--operations-listen=127.0.0.1:" + operations));
        secondReplica = new SupervisedProcess.Launch(
                "webhook-2", command, testCluster.controlPlane().logs().resolve("webhook-2.log"));
        startSecond(testCluster);
        service = new WebhookService(List.of(
                new WebhookService.Replica(
                        URI.create(testCluster.url(InstalledComponent.WEBHOOK)).getPort(),
                        testCluster.operationsUrl(InstalledComponent.WEBHOOK)),
                new WebhookService.Replica(port, "http://127.0.0.1:" + operations)));
        TrainingGround.awaitTrue("both replicas are ready", () -> service.ready() == 2);
        register(testCluster, "https://127.0.0.1:%d/mutate".formatted(service.port()));
        // On a busy machine pods may arrive late. Their node must not be removed and launched again meanwhile.
        idleAfter(testCluster, "30s");
    }

    @AfterAll
    static void stopSecondReplica(TestCluster testCluster) {
        idleAfter(testCluster, "5s");
        register(testCluster, testCluster.url(InstalledComponent.WEBHOOK) + "/mutate");
        if (service != null) {
            service.close();
        }
        second.kill();
    }

    static List<ProcessTermination> strikes() {
        return ProcessTermination.series(ROUNDS, SEED);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("strikes")
    void allIsAsIfNothingHadHappened(ProcessTermination strike, TestCluster testCluster, TrainingGround ground) {
        await(testCluster, "no machine of another test is left", () -> isEmpty(testCluster));
        var started = Instant.now();
        RegisteredWebhook.awaitCalledFor(testCluster.client(), ground.namespace());
        long before = ordered(testCluster);
        try (var admissions = Admissions.begin(testCluster.client(), ground.namespace())) {
            ground.kubectl("create", "-f", ground.job("too-much", 99, 1, SHORT));
            ground.kubectl("create", "-f", ground.job("before", 1, PODS_BEFORE, SHORT));
            await(testCluster, "machines were ordered", () -> ordered(testCluster) - before >= strike.afterMachines());

            long struck = System.nanoTime();
            strike.carryOut(testCluster);
            if (strike.victim() == Victim.WEBHOOKS) {
                second.kill();
            }
            if (strike.isDownForAWhile() && strike.victim() != Victim.API_SERVER) {
                create(testCluster, ground, "after", PODS_AFTER);
            }
            comeBack(strike, testCluster);
            var restart = Duration.ofNanos(System.nanoTime() - struck);
            if (!strike.isDownForAWhile() || strike.victim() == Victim.API_SERVER) {
                create(testCluster, ground, "after", PODS_AFTER);
            }

            var missed = new AtomicLong();
            await(testCluster, "all pods that can be placed have run", () -> {
                missed.addAndGet(makeAgainWhatTheWebhookMissed(testCluster, ground));
                return succeeded(testCluster, ground, "before") == PODS_BEFORE
                        && succeeded(testCluster, ground, "after") == PODS_AFTER;
            });
            await(testCluster, "no machine is left", () -> isEmpty(testCluster));
            await(testCluster, "all parts run, both replicas of the webhook are ready", () -> service.ready() == 2);

            long bought = ordered(testCluster) - before;
            log.info(
                    "strike={} took={} restart={} bought={} pods={} madeAgain={} admissions={} missed={} outage={} unanswered={}",
                    strike,
                    Duration.between(started, Instant.now()),
                    restart,
                    bought,
                    PODS_BEFORE + PODS_AFTER,
                    missed,
                    admissions.count(Outcome.COMPLETED),
                    admissions.count(Outcome.MISSED),
                    admissions.longestOutage(),
                    admissions.count(Outcome.UNANSWERED));
            // Fewer machines are enough if early training ends before late pods start.
            assertThat(bought)
                    .as(() -> strike + ":\n" + TrainingGround.scalerOf(testCluster, POOLS))
                    .isLessThanOrEqualTo(PODS_BEFORE + PODS_AFTER + missed.get());
            assertThat(ground.events())
                    .as("what cannot be placed is told")
                    .anyMatch(event -> event.startsWith("NotPlaceable") && event.contains("99"));
            assertThat(admissions.longestOutage())
                    .as("no longer than the restart")
                    .isLessThan(restart.plus(UNNOTICED));
            if (strike.victim() != Victim.WEBHOOKS) {
                assertThat(admissions.count(Outcome.MISSED))
                        .as("the other replica answers")
                        .isLessThanOrEqualTo(UNDER_WAY);
            }
        }
    }

    private static void comeBack(ProcessTermination strike, TestCluster testCluster) {
        if (strike.victim() == Victim.API_SERVER) {
            testCluster.controlPlane().restart(ControlPlane.API_SERVER);
        }
        restartWhatEnded(testCluster);
    }

    /** Restarts all parts like a kubelet, including those that ended by themselves, such as a scaler that lost its Lease. */
    private static void restartWhatEnded(TestCluster testCluster) {
        if (!second.isAlive()) {
            startSecond(testCluster);
        }
        for (var part : InstalledComponent.values()) {
            if (!testCluster.isRunning(part)) {
                testCluster.start(part);
            }
        }
    }

    private static void startSecond(TestCluster testCluster) {
        second = SupervisedProcess.start(secondReplica);
        testCluster.controlPlane().adopt(second);
    }

    private static void await(TestCluster testCluster, String what, BooleanSupplier holds) {
        TrainingGround.awaitTrue(what, () -> {
            restartWhatEnded(testCluster);
            try {
                return holds.getAsBoolean();
            } catch (KubernetesClientException e) {
                return false; // the API server is not back yet
            }
        });
    }

    /** Creates a job, and retries until the API server accepts it. */
    private static void create(TestCluster testCluster, TrainingGround ground, String name, int pods) {
        var file = ground.job(name, 1, pods, SHORT);
        TrainingGround.awaitTrue("job " + name + " is created", () -> {
            var result = testCluster.kubectl().run("--namespace", ground.namespace(), "create", "-f", file);
            return result.succeeded() || result.output().contains("AlreadyExists");
        });
    }

    /** Deletes pods that were admitted without the webhook, as the scaler's Event advises, so that their Job creates them again. */
    private static int makeAgainWhatTheWebhookMissed(TestCluster testCluster, TrainingGround ground) {
        var missed = ground.pods().stream().filter(KilledIT::wasMissed).toList();
        missed.forEach(pod -> testCluster.client().resource(pod).delete());
        return missed.size();
    }

    private static boolean wasMissed(Pod pod) {
        var annotations = pod.getMetadata().getAnnotations();
        return pod.getMetadata().getDeletionTimestamp() == null
                && (annotations == null || !annotations.containsKey(Names.INJECTED));
    }

    private static int succeeded(TestCluster testCluster, TrainingGround ground, String job) {
        var found = testCluster
                .client()
                .batch()
                .v1()
                .jobs()
                .inNamespace(ground.namespace())
                .withName(job)
                .get();
        return found == null || found.getStatus().getSucceeded() == null
                ? 0
                : found.getStatus().getSucceeded();
    }

    /** Whether all pools are empty, by the cloud's own data. */
    private static boolean isEmpty(TestCluster testCluster) {
        return POOLS.stream()
                        .allMatch(pool ->
                                cloud(testCluster, pool).path("machines").isEmpty())
                && testCluster
                        .client()
                        .nodes()
                        .withLabel(Names.POOL)
                        .list()
                        .getItems()
                        .isEmpty();
    }

    /** Returns the number of machines ever requested from the clouds. */
    private static long ordered(TestCluster testCluster) {
        return POOLS.stream()
                .mapToLong(pool -> cloud(testCluster, pool).path("ordered").asLong())
                .sum();
    }

    private static JsonNode cloud(TestCluster testCluster, String pool) {
        var cloud = testCluster
                .client()
                .configMaps()
                .inNamespace(Names.NAMESPACE)
                .withName("kwok-cloud-" + pool)
                .get();
        try {
            return cloud == null
                    ? MissingNode.getInstance()
                    : JSON.readTree(cloud.getData().get("cloud.json"));
        } catch (JsonProcessingException e) {
            throw new AssertionError(e);
        }
    }

    private static void idleAfter(TestCluster testCluster, String value) {
        for (var pool : POOLS) {
            testCluster
                    .kubectl()
                    .succeed(
                            "patch",
                            "trainingpool",
                            pool,
                            "--type=merge",
                            "-p",
                            "{\"spec\":{\"scaleDown\":{\"idleAfter\":\"%s\"}}}".formatted(value));
        }
    }

    private static void register(TestCluster testCluster, String url) {
        testCluster
                .client()
                .admissionRegistration()
                .v1()
                .mutatingWebhookConfigurations()
                .withName("trainyard")
                .edit(configuration -> {
                    configuration
                            .getWebhooks()
                            .forEach(webhook -> webhook.getClientConfig().setUrl(url));
                    return configuration;
                });
    }
}
