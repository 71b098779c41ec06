package dev.trainyard.emulator.aws;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import dev.trainyard.emulator.CloudEmulator;
import dev.trainyard.emulator.EmulatedMachine;
import dev.trainyard.emulator.LoopbackServer;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * An emulator of AWS's Auto Scaling and EC2 query APIs and of SQS over HTTPS, in one region. Keeps groups and queues, counts calls, can
 * inject faults into calls about groups, and accepts any credentials.
 *
 * <p>Thread-safe, except for the groups. Callers must hold the emulator's lock while they use a group; see {@link #change}.
 */
public final class AwsEmulator implements CloudEmulator {

    public static final String REGION = "eu-west-1";

    private static final Map<String, String> ZONE_IDS =
            Map.of(REGION + "a", "euw1-az3", REGION + "b", "euw1-az1", REGION + "c", "euw1-az2");

    private static final int USUAL_SPOT_SCORE = 9;

    /** Example credentials of AWS's documentation, which are not valid anywhere. */
    private static final String ACCESS_KEY_ID = "AKIAIOSFODNN7EXAMPLE";

    private static final String SECRET_ACCESS_KEY = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY";

    private static final String ACCOUNT = "123456789012";
    private static final String QUEUES = "https://sqs.%s.amazonaws.com/%s/".formatted(REGION, ACCOUNT);

    /** The header that names the action of a request in AWS's JSON protocol; the query APIs do not have it. */
    private static final String TARGET = "X-Amz-Target";

    private static final String SQS = "AmazonSQS.";
    private static final ObjectMapper JSON = new ObjectMapper();

    private final Clock clock;
    private final Optional<AwsPace> pace;
    private final QueryApi api = new QueryApi(this);
    private final Map<String, EmulatedGroup> groups = new LinkedHashMap<>();
    /** By URL. */
    private final Map<String, EmulatedQueue> queues = new ConcurrentHashMap<>();

    private final SortedMap<String, Integer> calls = new TreeMap<>();
    private final Map<String, SoldType> sold = new TreeMap<>();
    /** Spot placement scores by region or zone ID, if they differ from the usual one. */
    private final Map<String, Integer> spotScores = new TreeMap<>();

    private int pageSize = 100;
    private Duration readLag = Duration.ZERO;
    private AwsFault fault = AwsFault.NONE;
    private Runnable beforeChange = () -> {};
    private long number = 0x100;
    private final LoopbackServer server;

    private AwsEmulator(Clock clock, Optional<AwsPace> pace) {
        this.clock = clock;
        this.pace = pace;
        this.server = new LoopbackServer(this::handle);
    }

    /** Starts an emulator whose operations take time. */
    public static AwsEmulator start(Clock clock, AwsPace pace) {
        return new AwsEmulator(clock, Optional.of(pace));
    }

    /**
     * Starts an emulator in which time has no effect: callers complete operations with {@link EmulatedGroup#launch} and
     * {@link EmulatedGroup#finish}.
     */
    public static AwsEmulator startStill(Clock clock) {
        return new AwsEmulator(clock, Optional.empty());
    }

    @Override
    public URI url() {
        return server.url();
    }

    @Override
    public String authorityPem() {
        return server.authorityPem();
    }

    @Override
    public Map<String, String> environment(Path authority) {
        return Map.of(
                "AWS_ENDPOINT_URL",
                url().toString(),
                "AWS_CA_BUNDLE",
                authority.toString(),
                "AWS_ACCESS_KEY_ID",
                ACCESS_KEY_ID,
                "AWS_SECRET_ACCESS_KEY",
                SECRET_ACCESS_KEY,
                // Loopback cannot be reached through a proxy that the environment names.
                "NO_PROXY",
                "127.0.0.1");
    }

    /** Returns a group, and creates an empty one if it does not exist. */
    public synchronized EmulatedGroup group(String name) {
        return groups.computeIfAbsent(name, n -> new EmulatedGroup(n, clock, pace, () -> number++));
    }

    /** Returns all groups in the order of their creation. */
    public synchronized Collection<EmulatedGroup> groups() {
        return List.copyOf(groups.values());
    }

    /** Deletes a group with all its instances, as a user of AWS may do. */
    public synchronized void delete(String group) {
        groups.remove(group);
    }

    /**
     * Runs a function on a group while holding the emulator's lock.
     *
     * @throws IllegalArgumentException if the group does not exist
     */
    public synchronized <T> T change(String group, Function<EmulatedGroup, T> change) {
        return change.apply(known(group));
    }

    @Override
    public synchronized void stock(String group, int machines) {
        known(group).stock(machines);
    }

    @Override
    public synchronized List<EmulatedMachine> machines() {
        pass();
        return groups.values().stream()
                .flatMap(group -> group.instances().stream()
                        .filter(instance -> !instance.isPending())
                        .map(i -> new EmulatedMachine(group.name(), i.name(), i.providerId(), i.launched())))
                .sorted(Comparator.comparing(EmulatedMachine::launched).thenComparing(EmulatedMachine::name))
                .toList();
    }

    /**
     * Creates an SQS queue if it does not exist.
     *
     * @return its URL
     */
    public String queue(String name) {
        var url = QUEUES + name;
        queues.computeIfAbsent(url, key -> new EmulatedQueue(clock));
        return url;
    }

    /**
     * Sends a message to a queue.
     *
     * @throws IllegalArgumentException if the queue does not exist
     */
    public void send(String url, String body) {
        var queue = queues.get(url);
        if (queue == null) {
            throw new IllegalArgumentException("the emulated AWS has no queue " + url);
        }
        queue.send(body);
    }

    /** Returns the number of calls by action, including failed ones. */
    public synchronized SortedMap<String, Integer> calls() {
        return new TreeMap<>(calls);
    }

    public synchronized int totalCalls() {
        return calls.values().stream().mapToInt(Integer::intValue).sum();
    }

    /** Adds an instance type to those that AWS sells. Initially there are none. */
    public synchronized void sell(SoldType type) {
        sold.put(type.name(), type);
    }

    Optional<SoldType> sold(String type) {
        return Optional.ofNullable(sold.get(type));
    }

    /**
     * Sets a spot placement score; initially 9.
     *
     * @param place {@link #REGION} or the ID of a zone, see {@link #zoneId}
     */
    public synchronized void spotScore(String place, int score) {
        spotScores.put(place, score);
    }

    int spotScore(String place) {
        return spotScores.getOrDefault(place, USUAL_SPOT_SCORE);
    }

    /** Returns the ID of a zone of the region. In AWS too, the order of IDs is not that of names. */
    public static String zoneId(String name) {
        return ZONE_IDS.getOrDefault(name, "");
    }

    /** Returns the names of the region's zones. */
    static List<String> zoneNames() {
        return ZONE_IDS.keySet().stream().sorted().toList();
    }

    /** Sets the number of entries in a page; initially 100. */
    public synchronized void pageSize(int entries) {
        pageSize = entries;
    }

    int pageSize() {
        return pageSize;
    }

    /** Sets the age of the instance states in lists; initially zero. */
    public synchronized void readLag(Duration lag) {
        readLag = lag;
    }

    Duration readLag() {
        return readLag;
    }

    /** Sets the fault that applies to all following requests. */
    public synchronized void strike(AwsFault newFault) {
        fault = newFault;
    }

    /**
     * Sets an action that runs just before each termination and each change of a desired capacity. At that time, the client has already
     * checked the state.
     */
    public synchronized void beforeChange(Runnable what) {
        beforeChange = what;
    }

    void aboutToChange() {
        beforeChange.run();
    }

    Clock clock() {
        return clock;
    }

    /** Executes a request. Callers hold the lock. */
    QueryApi.Answer carryOut(AwsRequest request) {
        return api.answer(request);
    }

    /** Sends an answer. */
    void answer(HttpExchange exchange, QueryApi.Answer answer) throws IOException {
        var bytes = answer.xml().getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", "text/xml");
        exchange.sendResponseHeaders(answer.status(), bytes.length);
        exchange.getResponseBody().write(bytes);
    }

    private void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            var body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
            var target = exchange.getRequestHeaders().getFirst(TARGET);
            if (target != null && target.startsWith(SQS)) {
                handle(exchange, target.substring(SQS.length()), JSON.readTree(body));
                return;
            }
            var request = AwsRequest.parse(body);
            synchronized (this) {
                pass();
                calls.merge(request.action(), 1, Integer::sum);
                if (!fault.strike(this, exchange, request)) {
                    answer(exchange, carryOut(request));
                }
            }
        }
    }

    /** Answers a request to SQS, without the emulator's lock: the answer may take as long as the queue is empty. */
    private void handle(HttpExchange exchange, String action, JsonNode request) throws IOException {
        synchronized (this) {
            calls.merge(action, 1, Integer::sum);
        }
        var queue = queues.get(request.path("QueueUrl").asText());
        try {
            if (queue == null) {
                answer(
                        exchange,
                        400,
                        JSON.createObjectNode()
                                .put("__type", "com.amazonaws.sqs#QueueDoesNotExist")
                                .put("message", "The specified queue does not exist."));
            } else {
                answer(exchange, 200, queue.answer(action, request));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void answer(HttpExchange exchange, int status, JsonNode answer) throws IOException {
        var bytes = JSON.writeValueAsBytes(answer);
        exchange.getResponseHeaders().set("Content-Type", "application/x-amz-json-1.0");
        exchange.sendResponseHeaders(status, bytes.length);
        exchange.getResponseBody().write(bytes);
    }

    private void pass() {
        groups.values().forEach(EmulatedGroup::pass);
    }

    private EmulatedGroup known(String group) {
        var known = groups.get(group);
        if (known == null) {
            throw new IllegalArgumentException("the emulated AWS has no Auto Scaling group " + group);
        }
        return known;
    }

    @Override
    public void close() {
        server.close();
    }
}
