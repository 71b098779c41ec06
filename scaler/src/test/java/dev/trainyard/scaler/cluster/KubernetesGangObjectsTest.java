package dev.trainyard.scaler.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.trainyard.core.gang.GangObject;
import dev.trainyard.core.gang.GangObjects.Found;
import dev.trainyard.core.gang.GangObjects.NotYet;
import dev.trainyard.core.gang.GangObjects.Reading;
import dev.trainyard.core.gang.GangObjects.Unreadable;
import dev.trainyard.scaler.Logged;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class KubernetesGangObjectsTest {

    private static final String GROUP = "/apis/jobset.x-k8s.io";
    private static final String VERSION = GROUP + "/v1alpha2";
    private static final String JOB_SETS = VERSION + "/namespaces/team/jobsets";
    private static final String TRAIN = JOB_SETS + "/train";
    private static final GangObject JOB_SET = jobSet("train");

    private final Map<String, Answer> answers = new ConcurrentHashMap<>();
    private final List<String> requests = new CopyOnWriteArrayList<>();
    private final AtomicLong time = new AtomicLong(-5);
    private final AtomicInteger changes = new AtomicInteger();
    private final Work work = new Work();
    private HttpServer server;
    private KubernetesClient client;
    private KubernetesGangObjects objects;

    private record Answer(int code, String body) {}

    @BeforeEach
    void start() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", this::answer);
        server.start();
        client = new KubernetesClientBuilder()
                .withConfig(new ConfigBuilder(Config.empty())
                        .withMasterUrl("http://127.0.0.1:" + server.getAddress().getPort())
                        .withRequestRetryBackoffLimit(0)
                        .build())
                .build();
        objects = new KubernetesGangObjects(client, changes::incrementAndGet, time::get, work);
        serve(GROUP, """
                {"preferredVersion":{"version":"v1alpha2"},"versions":[{"version":"v1alpha2"}]}""");
        serve(VERSION, """
                {"resources":[{"name":"jobsets/status"},{"name":"jobsets"}]}""");
    }

    @AfterEach
    void stop() {
        objects.close();
        client.close();
        server.stop(0);
    }

    @Test
    void readsInTheBackgroundAndWakesTheLoop() {
        serve(TRAIN, object(3));

        assertThat(objects.find(JOB_SET)).isInstanceOf(NotYet.class);
        assertThat(objects.find(JOB_SET)).isInstanceOf(NotYet.class);
        assertThat(requests).isEmpty();
        assertThat(changes).hasValue(0);

        work.run();
        assertThat(requests).containsExactly(GROUP, VERSION, TRAIN);
        assertThat(changes).hasValue(1);
        assertThat(replicas(objects.find(JOB_SET))).isEqualTo(3);
    }

    @Test
    void readsOnAThreadOfItsOwn() throws Exception {
        serve(TRAIN, object(3));
        var woken = new Semaphore(0);
        var own = new KubernetesGangObjects(client, woken::release, time::get);
        try (own) {
            assertThat(own.find(JOB_SET)).isInstanceOf(NotYet.class);
            assertThat(woken.tryAcquire(30, TimeUnit.SECONDS)).isTrue();
            assertThat(replicas(own.find(JOB_SET))).isEqualTo(3);
        }
        pass(KubernetesGangObjects.REFRESH);
        assertThat(replicas(own.find(JOB_SET))).as("after it was closed").isEqualTo(3);
    }

    @Test
    void readsTheVersionThatHasTheResource() {
        serve("/apis/scheduling.k8s.io", """
                {"preferredVersion":{"version":"v1"},"versions":[{"version":"v1"},{"version":"v1beta1"},{"version":"v1alpha1"}]}""");
        serve("/apis/scheduling.k8s.io/v1", """
                {"resources":[{"name":"priorityclasses"}]}""");
        serve("/apis/scheduling.k8s.io/v1beta1", """
                {"resources":[{"name":"podgroups"}]}""");
        serve("/apis/scheduling.k8s.io/v1beta1/namespaces/team/podgroups/g", object(1));

        assertThat(read(new GangObject("scheduling.k8s.io", "PodGroup", "team", "g", Optional.empty())))
                .isInstanceOf(Found.class);
    }

    @Test
    void readsAgainAfterHalfAMinuteAndOnlyIfAsked() {
        serve(TRAIN, object(3));
        read(JOB_SET);
        requests.clear();
        serve(TRAIN, object(5));

        pass(KubernetesGangObjects.REFRESH.minusNanos(1));
        assertThat(replicas(read(JOB_SET))).isEqualTo(3);
        pass(Duration.ofNanos(1));
        work.run();
        assertThat(requests).isEmpty();

        assertThat(replicas(objects.find(JOB_SET))).isEqualTo(3);
        work.run();
        assertThat(requests).containsExactly(TRAIN);
        assertThat(changes).hasValue(2);
        assertThat(replicas(objects.find(JOB_SET))).isEqualTo(5);
    }

    @Test
    void unchangedObjectStaysTheSameAndWakesNobody() {
        serve(TRAIN, object(3));
        var first = read(JOB_SET);
        pass(KubernetesGangObjects.REFRESH);

        assertThat(read(JOB_SET)).isSameAs(first);
        assertThat(changes).hasValue(1);
    }

    @Test
    void keepsOnlyTheUidTheAnnotationsAndTheSpecWithoutContainers() throws JsonProcessingException {
        serve(TRAIN, """
                {"kind":"JobSet","metadata":{"name":"train","uid":"u","labels":{"a":"b"},
                  "annotations":{"alpha.jobset.sigs.k8s.io/exclusive-topology":"rack",
                   "kubectl.kubernetes.io/last-applied-configuration":"{}"}},"status":{"restarts":1},
                 "spec":{"replicatedJobs":[{"name":"w","template":{"spec":{"parallelism":2,"template":{"spec":
                  {"restartPolicy":"Never","containers":[{"name":"main"}],"initContainers":[],"volumes":[]}}}}}]}}""");

        assertThat(((Found) read(JOB_SET)).object()).isEqualTo(new ObjectMapper().readTree("""
                {"metadata":{"uid":"u","annotations":{"alpha.jobset.sigs.k8s.io/exclusive-topology":"rack"}},
                 "spec":{"replicatedJobs":[{"name":"w",
                 "template":{"spec":{"parallelism":2,"template":{"spec":{"restartPolicy":"Never"}}}}}]}}"""));
    }

    @Test
    void missingRightIsSharedByTheObjectsOfAKindAndLoggedOnce() {
        answers.put(TRAIN, new Answer(403, "{}"));
        serve(JOB_SETS + "/other", object(7));
        answers.put(VERSION + "/namespaces/second/jobsets/train", new Answer(403, "{}"));
        try (var log = new Logged(KubernetesGangObjects.class.getName())) {
            assertThat(read(JOB_SET)).isEqualTo(forbidden("train"));
            assertThat(changes).hasValue(1);
            requests.clear();
            assertThat(objects.find(jobSet("other"))).isEqualTo(forbidden("other"));
            work.run();
            assertThat(requests).as("while the kind is paused").isEmpty();
            read(new GangObject("jobset.x-k8s.io", "JobSet", "second", "train", Optional.empty()));
            assertThat(log.lines()).singleElement().asString().contains("JobSet", "403", "gang-owners");

            serve(TRAIN, object(3));
            serve(VERSION + "/namespaces/second/jobsets/train", object(3));
            pass(KubernetesGangObjects.FIRST_PAUSE);
            assertThat(replicas(read(JOB_SET))).isEqualTo(3);
            assertThat(log.lines()).as("the other namespace still fails").hasSize(1);
            assertThat(replicas(read(jobSet("other")))).isEqualTo(7);
            assertThat(read(new GangObject("jobset.x-k8s.io", "JobSet", "second", "train", Optional.empty())))
                    .isInstanceOf(Found.class);
            assertThat(log.lines()).hasSize(2).last().asString().contains("can be read again");
        }
    }

    @Test
    void objectsThatWaitWhenTheirKindFailsAreNotRequested() {
        answers.put(TRAIN, new Answer(403, "{}"));
        objects.find(JOB_SET);
        objects.find(jobSet("other"));
        work.run();

        assertThat(requests).containsExactly(GROUP, VERSION, TRAIN);
        assertThat(objects.find(jobSet("other"))).isEqualTo(forbidden("other"));
        assertThat(changes).hasValue(2);
    }

    @Test
    void lastStateStaysValidWhileTheApiServerFails() {
        serve(TRAIN, object(3));
        read(JOB_SET);
        answers.put(TRAIN, new Answer(503, "{}"));
        answers.put(JOB_SETS + "/other", new Answer(503, "{}"));
        pass(KubernetesGangObjects.REFRESH);

        assertThat(replicas(read(JOB_SET))).isEqualTo(3);
        assertThat(changes).hasValue(1);
        assertThat(read(jobSet("other"))).as("for a while, gangs wait for it").isInstanceOf(NotYet.class);
        pass(KubernetesGangObjects.PATIENCE);
        assertThat(read(jobSet("other")))
                .isInstanceOfSatisfying(
                        Unreadable.class,
                        unreadable -> assertThat(unreadable.reason())
                                .startsWith("JobSet team/other cannot be read: the API server answered 503 to GET "
                                        + JOB_SETS));

        server.stop(0);
        pass(KubernetesGangObjects.FIRST_PAUSE);
        assertThat(replicas(read(JOB_SET))).isEqualTo(3);
        pass(KubernetesGangObjects.LONGEST_PAUSE);
        read(jobSet("third"));
        pass(KubernetesGangObjects.PATIENCE);
        assertThat(read(jobSet("third")))
                .isInstanceOfSatisfying(
                        Unreadable.class,
                        unreadable -> assertThat(unreadable.reason())
                                .contains("the API server did not answer GET " + JOB_SETS));
    }

    @Test
    void triesAgainAfterGrowingPauses() {
        answers.put(TRAIN, new Answer(500, "{}"));
        read(JOB_SET);
        for (int seconds : new int[] {1, 2, 4, 8, 16, 32, 60, 60}) {
            requests.clear();
            pass(Duration.ofSeconds(seconds).minusNanos(1));
            read(JOB_SET);
            assertThat(requests).as("before %d s", seconds).isEmpty();
            pass(Duration.ofNanos(1));
            read(JOB_SET);
            assertThat(requests).as("after %d s", seconds).containsExactly(TRAIN);
        }
    }

    @Test
    void missingObjectIsReadAgainAndDoesNotPauseOthers() {
        serve(JOB_SETS + "/other", object(2));

        assertThat(read(JOB_SET)).isEqualTo(new Unreadable("JobSet team/train does not exist; create it"));
        assertThat(replicas(read(jobSet("other")))).isEqualTo(2);

        serve(TRAIN, object(3));
        pass(KubernetesGangObjects.FIRST_PAUSE);
        assertThat(replicas(read(JOB_SET))).isEqualTo(3);
    }

    @Test
    void deletedObjectIsUnreadable() {
        serve(TRAIN, object(3));
        read(JOB_SET);
        answers.remove(TRAIN);
        pass(KubernetesGangObjects.REFRESH);

        assertThat(read(JOB_SET)).isInstanceOf(Unreadable.class);
        assertThat(changes).hasValue(2);
    }

    @Test
    void definitionMayBeInstalledLater() {
        var group = answers.remove(GROUP);
        serve(TRAIN, object(3));

        assertThat(read(JOB_SET))
                .isEqualTo(
                        new Unreadable(
                                "JobSet team/train cannot be read: the API server has no jobsets of jobset.x-k8s.io; install their definition (CRD)"));
        answers.put(GROUP, group);
        pass(KubernetesGangObjects.FIRST_PAUSE);
        assertThat(replicas(read(JOB_SET))).isEqualTo(3);
    }

    @Test
    void followsAnUpgradeOfTheDefinition() {
        serve(TRAIN, object(3));
        read(JOB_SET);
        serve(GROUP, """
                {"preferredVersion":{"version":"v1"},"versions":[{"version":"v1"}]}""");
        serve(GROUP + "/v1", """
                {"resources":[{"name":"jobsets"}]}""");
        answers.remove(TRAIN);
        serve(GROUP + "/v1/namespaces/team/jobsets/train", object(4));
        pass(GangObjectReader.VERSION_DOUBTED);

        assertThat(replicas(objects.find(JOB_SET))).isEqualTo(3);
        assertThat(replicas(read(JOB_SET))).isEqualTo(4);
    }

    @Test
    void asksForTheVersionAgainAfterSomeTime() {
        serve(TRAIN, object(3));
        read(JOB_SET);
        requests.clear();
        for (long passed = 0; passed < GangObjectReader.VERSION_KEPT.toSeconds(); passed += 30) {
            assertThat(requests).doesNotContain(GROUP);
            pass(KubernetesGangObjects.REFRESH);
            read(JOB_SET);
        }
        assertThat(requests).containsOnlyOnce(GROUP);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "not JSON                        | JobSet team/train cannot be read: the answer from " + JOB_SETS
                        + " is not JSON",
                "[]                              | JobSet team/train cannot be read: the API server's answer has no metadata.uid or no spec",
                "{\"metadata\":{\"uid\":\"u\"}}  | JobSet team/train cannot be read: the API server's answer has no metadata.uid or no spec",
                "{\"spec\":{}}                   | JobSet team/train cannot be read: the API server's answer has no metadata.uid or no spec",
            })
    void malformedAnswerAffectsOneObjectAndKeepsItsLastState(String body, String reason) {
        serve(TRAIN, body);
        serve(JOB_SETS + "/other", object(2));

        assertThat(read(JOB_SET)).isInstanceOf(NotYet.class);
        assertThat(replicas(read(jobSet("other")))).isEqualTo(2);
        pass(KubernetesGangObjects.PATIENCE);
        assertThat(read(JOB_SET))
                .isInstanceOfSatisfying(
                        Unreadable.class,
                        unreadable -> assertThat(unreadable.reason()).startsWith(reason));

        serve(JOB_SETS + "/other", body);
        pass(KubernetesGangObjects.REFRESH);
        assertThat(replicas(read(jobSet("other")))).isEqualTo(2);
    }

    @ParameterizedTest
    @CsvSource({
        "jobset.x-k8s.io, JobSet, team, ../../../../api/v1/pods",
        "jobset.x-k8s.io, JobSet, team, ..",
        "jobset.x-k8s.io, JobSet, team, Train",
        "jobset.x-k8s.io, JobSet, team, ''",
        "jobset.x-k8s.io, JobSet, '',   train",
        "jobset/x?y,      JobSet, team, train",
        "jobset.x-k8s.io, J/S,    team, train",
    })
    void invalidNameIsNotRequested(String group, String kind, String namespace, String name) {
        assertThat(read(new GangObject(group, kind, namespace, name, Optional.empty())))
                .isInstanceOf(Unreadable.class);
        assertThat(read(jobSet("a".repeat(254)))).isInstanceOf(Unreadable.class);
        assertThat(requests).isEmpty();
    }

    @Test
    void tooLargeObjectIsUnreadable() {
        serve(TRAIN, sized(GangObjectReader.LARGEST + 1));
        serve(JOB_SETS + "/fits", sized(GangObjectReader.LARGEST));

        assertThat(read(JOB_SET))
                .isEqualTo(
                        new Unreadable(
                                "JobSet team/train is too large: its spec and its annotations have 65537 characters without containers; expected at most 65536"));
        assertThat(read(jobSet("fits"))).isInstanceOf(Found.class);
    }

    @Test
    void replacedObjectIsNotTheOneThatThePodsAreOf() {
        serve(TRAIN, object(3));

        assertThat(replicas(read(JOB_SET.withUid("u")))).isEqualTo(3);
        assertThat(read(JOB_SET.withUid("another")))
                .isEqualTo(new Unreadable("JobSet team/train does not exist; another object of this name replaced it"));
    }

    @Test
    void objectsOfANamespaceHaveALimitTogether() {
        int fit = KubernetesGangObjects.LARGEST_OF_NAMESPACE / GangObjectReader.LARGEST;
        for (int i = 0; i <= fit; i++) {
            serve(JOB_SETS + "/large-" + i, sized(GangObjectReader.LARGEST));
        }
        for (int i = 0; i < fit; i++) {
            assertThat(read(jobSet("large-" + i))).isInstanceOf(Found.class);
        }
        assertThat(read(jobSet("large-" + fit))).isInstanceOf(Unreadable.class);
        var inOther = jobSetOf("other", "large");
        serve(JOB_SETS.replace("team", "other") + "/large", sized(GangObjectReader.LARGEST));
        assertThat(read(inOther)).isInstanceOf(Found.class);

        serve(JOB_SETS + "/large-0", object(1));
        serve(
                JOB_SETS + "/large-" + fit,
                sized(GangObjectReader.LARGEST - object(1).length()));
        pass(KubernetesGangObjects.LONGEST_PAUSE);
        read(jobSet("large-0"));
        assertThat(read(jobSet("large-" + fit))).isInstanceOf(Found.class);
    }

    @Test
    void allObjectsTogetherHaveALimit() {
        int ofEach = KubernetesGangObjects.LARGEST_OF_NAMESPACE / GangObjectReader.LARGEST;
        int namespaces = KubernetesGangObjects.LARGEST_TOTAL / KubernetesGangObjects.LARGEST_OF_NAMESPACE;
        for (int namespace = 0; namespace < namespaces; namespace++) {
            for (int i = 0; i < ofEach; i++) {
                serve(JOB_SETS.replace("team", "n" + namespace) + "/large-" + i, sized(GangObjectReader.LARGEST));
                assertThat(read(jobSetOf("n" + namespace, "large-" + i))).isInstanceOf(Found.class);
            }
        }
        serve(TRAIN, object(1));
        assertThat(read(JOB_SET)).isInstanceOf(Unreadable.class);
    }

    @Test
    void readsNoMoreThanItsLimits() {
        int ofEach = KubernetesGangObjects.MOST_OF_NAMESPACE;
        for (int i = 0; i < ofEach; i++) {
            objects.find(jobSet("train-" + i));
        }
        assertThat(objects.find(JOB_SET))
                .isEqualTo(
                        new Unreadable(
                                "JobSet team/train is not read: the scaler reads at most 5000 objects that describe gangs, and at most 1000 in a namespace"));
        for (int i = 0; i < KubernetesGangObjects.MOST - ofEach; i++) {
            assertThat(objects.find(jobSetOf("n" + i / ofEach, "train-" + i))).isInstanceOf(NotYet.class);
        }
        assertThat(objects.find(jobSetOf("last", "train"))).isInstanceOf(Unreadable.class);
    }

    @Test
    void dropsObjectsThatNobodyAsksFor() {
        for (int i = 0; i < KubernetesGangObjects.MOST_OF_NAMESPACE; i++) {
            objects.find(jobSet("train-" + i));
        }
        answers.put(JOB_SETS + "/train-0", new Answer(403, "{}"));
        work.run();

        pass(KubernetesGangObjects.FORGOTTEN.plusNanos(1));
        assertThat(objects.find(JOB_SET)).isInstanceOf(NotYet.class);
    }

    @Test
    void manyObjectsOfANamespaceDelayNoOther() {
        for (int i = 0; i < 100; i++) {
            objects.find(jobSet("train-" + i));
        }
        objects.find(jobSetOf("other", "train"));
        work.run();

        assertThat(requests.indexOf(JOB_SETS.replace("team", "other") + "/train"))
                .isLessThan(requests.indexOf(JOB_SETS + "/train-1"))
                .isPositive();
    }

    @Test
    void objectThatWasNeverReadComesFirst() {
        serve(TRAIN, object(3));
        serve(JOB_SETS + "/second", object(3));
        read(JOB_SET);
        read(jobSet("second"));
        pass(KubernetesGangObjects.REFRESH);
        requests.clear();

        objects.find(JOB_SET);
        objects.find(jobSet("second"));
        objects.find(jobSet("new"));
        work.run();
        assertThat(requests).containsExactly(JOB_SETS + "/new", TRAIN, JOB_SETS + "/second");
    }

    private static GangObject jobSet(String name) {
        return jobSetOf("team", name);
    }

    private static GangObject jobSetOf(String namespace, String name) {
        return new GangObject("jobset.x-k8s.io", "JobSet", namespace, name, Optional.empty());
    }

    private static Unreadable forbidden(String name) {
        return new Unreadable(
                "JobSet team/%s cannot be read: the API server answered 403 to GET %s; apply manifests/components/gang-owners, or set gangOwners=true of the chart"
                        .formatted(name, JOB_SETS));
    }

    private static String object(int replicas) {
        return "{\"metadata\":{\"uid\":\"u\"},\"spec\":{\"replicas\":%d}}".formatted(replicas);
    }

    /** Returns an object whose spec has a length. */
    private static String sized(int length) {
        var spec = "{\"a\":\"%s\"}";
        return "{\"metadata\":{\"uid\":\"u\"},\"spec\":%s}"
                .formatted(spec.formatted("x".repeat(length - spec.length() + 2)));
    }

    private static int replicas(Reading reading) {
        assertThat(reading).isInstanceOf(Found.class);
        return ((Found) reading).object().at("/spec/replicas").asInt();
    }

    /** Asks for an object, does all work, and asks again. */
    private Reading read(GangObject object) {
        objects.find(object);
        work.run();
        return objects.find(object);
    }

    private void pass(Duration duration) {
        time.addAndGet(duration.toNanos());
    }

    private void serve(String path, String body) {
        answers.put(path, new Answer(200, body));
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            var path = exchange.getRequestURI().getPath();
            requests.add(path);
            var answer = answers.getOrDefault(path, new Answer(404, "404 page not found"));
            var body = answer.body().getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().set("Content-Type", "application/json");
            exchange.sendResponseHeaders(answer.code(), body.length);
            exchange.getResponseBody().write(body);
        }
    }

    /** A thread whose work is done when the test says so. */
    private static final class Work extends AbstractExecutorService {
        private final Queue<Runnable> waiting = new ArrayDeque<>();

        void run() {
            while (!waiting.isEmpty()) {
                waiting.remove().run();
            }
        }

        @Override
        public void execute(Runnable command) {
            waiting.add(command);
        }

        @Override
        public void shutdown() {
            waiting.clear();
        }

        @Override
        public List<Runnable> shutdownNow() {
            var rest = new ArrayList<>(waiting);
            waiting.clear();
            return rest;
        }

        @Override
        public boolean isShutdown() {
            return false;
        }

        @Override
        public boolean isTerminated() {
            return false;
        }

        @Override
        public boolean awaitTermination(long timeout, TimeUnit unit) {
            return true;
        }
    }
}
