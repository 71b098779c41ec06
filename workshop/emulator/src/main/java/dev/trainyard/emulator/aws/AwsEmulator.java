package dev.trainyard.emulator.aws;

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
import java.util.function.Function;

/**
 * AWS's Auto Scaling and EC2 query APIs over HTTPS, in one region. It keeps groups, counts calls, and can be told to misbehave. Whoever asks is
 * let in, whatever the keys.
 *
 * <p>Thread-safe; groups are for whoever holds its lock, see {@link #change}.
 */
public final class AwsEmulator implements CloudEmulator {

    public static final String REGION = "eu-west-1";

    /** Of AWS's documentation; good for nothing. */
    private static final String ACCESS_KEY_ID = "AKIAIOSFODNN7EXAMPLE";

    private static final String SECRET_ACCESS_KEY = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY";

    private final Clock clock;
    private final Optional<Pace> pace;
    private final QueryApi api = new QueryApi(this);
    private final Map<String, EmulatedGroup> groups = new LinkedHashMap<>();
    private final SortedMap<String, Integer> calls = new TreeMap<>();
    private final Map<String, SoldType> sold = new TreeMap<>();
    private int pageSize = 100;
    private Duration readLag = Duration.ZERO;
    private AwsFault fault = AwsFault.NONE;
    private Runnable beforeChange = () -> {};
    private long number = 0x100;
    private final LoopbackServer server;

    private AwsEmulator(Clock clock, Optional<Pace> pace) {
        this.clock = clock;
        this.pace = pace;
        this.server = new LoopbackServer(this::handle);
    }

    /** One in which things happen in their time. */
    public static AwsEmulator start(Clock clock, Pace pace) {
        return new AwsEmulator(clock, Optional.of(pace));
    }

    /** One in which nothing happens by itself. */
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
                // Whatever proxy the environment names, loopback is not behind it.
                "NO_PROXY",
                "127.0.0.1");
    }

    /** A group of that name, a new one without machines when there is none. */
    public synchronized EmulatedGroup group(String name) {
        return groups.computeIfAbsent(name, n -> new EmulatedGroup(n, clock, pace, () -> number++));
    }

    /** All groups, in the order in which they were made. */
    public synchronized Collection<EmulatedGroup> groups() {
        return List.copyOf(groups.values());
    }

    /** Somebody deletes a group with all that is in it. */
    public synchronized void delete(String group) {
        groups.remove(group);
    }

    /** Does something with a group while nobody else does. */
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

    /** Calls by action, also those that were answered with an error. */
    public synchronized SortedMap<String, Integer> calls() {
        return new TreeMap<>(calls);
    }

    public synchronized int totalCalls() {
        return calls.values().stream().mapToInt(Integer::intValue).sum();
    }

    /** From now on AWS sells a type of instance; it sells none at first. */
    public synchronized void sell(SoldType type) {
        sold.put(type.name(), type);
    }

    Optional<SoldType> sold(String type) {
        return Optional.ofNullable(sold.get(type));
    }

    /** Entries of an answer that comes in pages; 100 at first. */
    public synchronized void pageSize(int entries) {
        pageSize = entries;
    }

    int pageSize() {
        return pageSize;
    }

    /** How far behind the truth listings are in what they show of an instance's state; not at all at first. */
    public synchronized void readLag(Duration lag) {
        readLag = lag;
    }

    Duration readLag() {
        return readLag;
    }

    /** What goes wrong from now on. */
    public synchronized void strike(AwsFault newFault) {
        fault = newFault;
    }

    /** Called before each change that is asked for is made, when whoever asked cannot look again any more. */
    public synchronized void beforeChange(Runnable what) {
        beforeChange = what;
    }

    void aboutToChange() {
        beforeChange.run();
    }

    Clock clock() {
        return clock;
    }

    /** Carries a request out. For faults, which hold the lock. */
    QueryApi.Answer carryOut(AwsRequest request) {
        return api.answer(request);
    }

    /** Writes an answer. For faults. */
    void answer(HttpExchange exchange, QueryApi.Answer answer) throws IOException {
        var bytes = answer.xml().getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", "text/xml");
        exchange.sendResponseHeaders(answer.status(), bytes.length);
        exchange.getResponseBody().write(bytes);
    }

    private void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            var request =
                    AwsRequest.parse(new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
            synchronized (this) {
                pass();
                calls.merge(request.action(), 1, Integer::sum);
                if (!fault.strike(this, exchange, request)) {
                    answer(exchange, carryOut(request));
                }
            }
        }
    }

    private void pass() {
        groups.values().forEach(EmulatedGroup::pass);
    }

    private EmulatedGroup known(String group) {
        var known = groups.get(group);
        if (known == null) {
            throw new IllegalArgumentException("there is no group " + group);
        }
        return known;
    }

    @Override
    public void close() {
        server.close();
    }
}
