package dev.trainyard.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.trainyard.core.Names;
import dev.trainyard.e2e.Admissions.Outcome;
import dev.trainyard.e2e.Strike.Victim;
import dev.trainyard.local.ControlPlane;
import dev.trainyard.local.SimulatedMachines;
import dev.trainyard.local.process.FreePort;
import dev.trainyard.local.process.SupervisedProcess;
import dev.trainyard.workshop.cluster.Part;
import dev.trainyard.workshop.cluster.ServerJvm;
import dev.trainyard.workshop.cluster.Yard;
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
@WithYard
@Tag("disruptive")
@ResourceLock(WithYard.WHOLE)
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
    static void startSecondReplica(Yard yard) {
        int port = FreePort.onLoopback();
        int operations = FreePort.onLoopback();
        var command = new ArrayList<>(ServerJvm.command(Part.WEBHOOK));
        command.addAll(List.of(
                "dev.trainyard.cli.Main",
                "webhook",
                "--kubeconfig="
                        + yard.controlPlane()
                                .kubeconfigFor(
                                        "system:serviceaccount:trainyard-system:trainyard-webhook",
                                        List.of("system:serviceaccounts")),
                "--tls-dir=" + yard.controlPlane().dir().resolve("tls/webhook"),
                "--webhook-configuration=trainyard",
                "--listen=127.0.0.1:" + port,
                "--operations-listen=127.0.0.1:" + operations));
        secondReplica = new SupervisedProcess.Launch(
                "webhook-2", command, yard.controlPlane().logs().resolve("webhook-2.log"));
        startSecond(yard);
        service = new WebhookService(List.of(
                new WebhookService.Replica(
                        URI.create(yard.url(Part.WEBHOOK)).getPort(), yard.operationsUrl(Part.WEBHOOK)),
                new WebhookService.Replica(port, "http://127.0.0.1:" + operations)));
        TrainingGround.awaitTrue("both replicas are ready", () -> service.ready() == 2);
        register(yard, "https://127.0.0.1:%d/mutate".formatted(service.port()));
        // On a busy machine pods may arrive late. Their node must not be removed and launched again meanwhile.
        idleAfter(yard, "30s");
    }

    @AfterAll
    static void stopSecondReplica(Yard yard) {
        idleAfter(yard, "5s");
        register(yard, yard.url(Part.WEBHOOK) + "/mutate");
        if (service != null) {
            service.close();
        }
        second.kill();
    }

    static List<Strike> strikes() {
        return Strike.series(ROUNDS, SEED);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("strikes")
    void allIsAsIfNothingHadHappened(Strike strike, Yard yard, TrainingGround ground) {
        await(yard, "no machine of another test is left", () -> isEmpty(yard));
        var started = Instant.now();
        RegisteredWebhook.awaitCalledFor(yard.client(), ground.namespace());
        long before = ordered(yard);
        try (var admissions = Admissions.begin(yard.client(), ground.namespace())) {
            ground.kubectl("create", "-f", ground.job("too-much", 99, 1, SHORT));
            ground.kubectl("create", "-f", ground.job("before", 1, PODS_BEFORE, SHORT));
            await(yard, "machines were ordered", () -> ordered(yard) - before >= strike.afterMachines());

            long struck = System.nanoTime();
            strike.carryOut(yard);
            if (strike.victim() == Victim.WEBHOOKS) {
                second.kill();
            }
            if (strike.isDownForAWhile() && strike.victim() != Victim.API_SERVER) {
                create(yard, ground, "after", PODS_AFTER);
            }
            comeBack(strike, yard);
            var restart = Duration.ofNanos(System.nanoTime() - struck);
            if (!strike.isDownForAWhile() || strike.victim() == Victim.API_SERVER) {
                create(yard, ground, "after", PODS_AFTER);
            }

            var missed = new AtomicLong();
            await(yard, "all pods that can be placed have run", () -> {
                missed.addAndGet(makeAgainWhatTheWebhookMissed(yard, ground));
                return succeeded(yard, ground, "before") == PODS_BEFORE
                        && succeeded(yard, ground, "after") == PODS_AFTER;
            });
            await(yard, "no machine is left", () -> isEmpty(yard));
            await(yard, "all parts run, both replicas of the webhook are ready", () -> service.ready() == 2);

            long bought = ordered(yard) - before;
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
                    .as(() -> strike + ":\n" + TrainingGround.scalerOf(yard, POOLS))
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

    private static void comeBack(Strike strike, Yard yard) {
        if (strike.victim() == Victim.API_SERVER) {
            yard.controlPlane().restart(ControlPlane.API_SERVER);
        }
        restartWhatEnded(yard);
    }

    /** Restarts all parts like a kubelet, including those that ended by themselves, such as a scaler that lost its Lease. */
    private static void restartWhatEnded(Yard yard) {
        if (!second.isAlive()) {
            startSecond(yard);
        }
        for (var part : Part.values()) {
            if (!yard.isRunning(part)) {
                yard.start(part);
            }
        }
    }

    private static void startSecond(Yard yard) {
        second = SupervisedProcess.start(secondReplica);
        yard.controlPlane().adopt(second);
    }

    private static void await(Yard yard, String what, BooleanSupplier holds) {
        TrainingGround.awaitTrue(what, () -> {
            restartWhatEnded(yard);
            try {
                return holds.getAsBoolean();
            } catch (KubernetesClientException e) {
                return false; // the API server is not back yet
            }
        });
    }

    /** Creates a job, and retries until the API server accepts it. */
    private static void create(Yard yard, TrainingGround ground, String name, int pods) {
        var file = ground.job(name, 1, pods, SHORT);
        TrainingGround.awaitTrue("job " + name + " is created", () -> {
            var result = yard.kubectl().run("--namespace", ground.namespace(), "create", "-f", file);
            return result.succeeded() || result.output().contains("AlreadyExists");
        });
    }

    /** Deletes pods that were admitted without the webhook, as the scaler's Event advises, so that their Job creates them again. */
    private static int makeAgainWhatTheWebhookMissed(Yard yard, TrainingGround ground) {
        var missed = ground.pods().stream().filter(KilledIT::wasMissed).toList();
        missed.forEach(pod -> yard.client().resource(pod).delete());
        return missed.size();
    }

    private static boolean wasMissed(Pod pod) {
        var annotations = pod.getMetadata().getAnnotations();
        return pod.getMetadata().getDeletionTimestamp() == null
                && (annotations == null || !annotations.containsKey(Names.INJECTED));
    }

    private static int succeeded(Yard yard, TrainingGround ground, String job) {
        var found = yard.client()
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
    private static boolean isEmpty(Yard yard) {
        return POOLS.stream()
                        .allMatch(pool -> cloud(yard, pool).path("machines").isEmpty())
                && yard.client().nodes().withLabel(Names.POOL).list().getItems().isEmpty();
    }

    /** Returns the number of machines ever requested from the clouds. */
    private static long ordered(Yard yard) {
        return POOLS.stream()
                .mapToLong(pool -> cloud(yard, pool).path("ordered").asLong())
                .sum();
    }

    private static JsonNode cloud(Yard yard, String pool) {
        var cloud = yard.client()
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

    private static void idleAfter(Yard yard, String value) {
        for (var pool : POOLS) {
            yard.kubectl()
                    .succeed(
                            "patch",
                            "trainingpool",
                            pool,
                            "--type=merge",
                            "-p",
                            "{\"spec\":{\"scaleDown\":{\"idleAfter\":\"%s\"}}}".formatted(value));
        }
    }

    private static void register(Yard yard, String url) {
        yard.client()
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
