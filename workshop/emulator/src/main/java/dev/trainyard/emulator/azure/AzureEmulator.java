package dev.trainyard.emulator.azure;

import com.fasterxml.jackson.databind.node.ObjectNode;
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
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/**
 * An emulator of Azure Resource Manager (ARM) over HTTPS, with one resource group in one subscription. Issues a token to every caller.
 * Operations take time, and end when the clock reaches their end. Bodies look like the examples in Microsoft's published REST specification
 * (ComputeRP, 2025-04-01). Headers follow ARM's documentation. Counts calls, and can inject faults.
 *
 * <p>Thread-safe, except for the scale sets and machines that it returns. A test may use these objects only if the test is the only user of
 * the emulator.
 */
public final class AzureEmulator implements CloudEmulator {

    public static final String SUBSCRIPTION = "11111111-2222-3333-4444-555555555555";
    public static final String GROUP = "rg-train";
    public static final String LOCATION = "westeurope";

    private static final String TENANT = "22222222-3333-4444-5555-666666666666";
    private static final String CLIENT = "33333333-4444-5555-6666-777777777777";

    private final Clock clock;
    private final Operations operations;
    private final ScaleSets scaleSets;
    private final VirtualMachines virtualMachines;
    private final SoldSizes soldSizes;
    private final EmulatedPermissions permissions = new EmulatedPermissions();
    private final CountDownLatch closed = new CountDownLatch(1);
    private final Deque<Trouble> troubles = new ArrayDeque<>();
    private final List<Seen> seen = new ArrayList<>();
    private Optional<TokenBuckets> buckets = Optional.empty();
    private Duration retryAfter = Duration.ofSeconds(40);
    private volatile UnaryOperator<String> rewriting = UnaryOperator.identity();
    private int troubled;
    private Optional<URI> links = Optional.empty();
    private boolean refusesTokens;
    private final LoopbackServer server;

    private record Trouble(Predicate<ArmRequest> of, AzureFault fault, boolean once) {}

    /**
     * A request that the emulator handled. A request is not recorded if an injected fault replaced its handling.
     *
     * @param bucket the kind of request in Azure's rate limits, such as {@code costly-get}
     * @param action the action that a role must allow
     */
    public record Seen(Instant at, String bucket, String action, ArmRequest request) {}

    private AzureEmulator(Clock clock, AzurePace pace) {
        this.clock = clock;
        this.operations = new Operations(clock, this::linked);
        this.scaleSets = new ScaleSets(clock, pace, operations, this::linked);
        this.virtualMachines = new VirtualMachines(clock, pace, operations, this::linked);
        this.soldSizes = new SoldSizes(this::linked);
        this.server = new LoopbackServer(this::handle);
    }

    public static AzureEmulator start(Clock clock, AzurePace pace) {
        return new AzureEmulator(clock, pace);
    }

    /** Returns an error in Azure's format. */
    public static ObjectNode error(String code, String message) {
        return ArmRequest.JSON.createObjectNode().put("code", code).put("message", message);
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
                "TRAINYARD_AZURE_ENDPOINT",
                url().toString(),
                "TRAINYARD_AZURE_CA_FILE",
                authority.toString(),
                "AZURE_AUTHORITY_HOST",
                url().toString(),
                "AZURE_TENANT_ID",
                TENANT,
                "AZURE_CLIENT_ID",
                CLIENT,
                "AZURE_CLIENT_SECRET",
                "any~secret",
                // Loopback cannot be reached through a proxy that the environment names.
                "NO_PROXY",
                "127.0.0.1");
    }

    /** Returns a scale set, and creates an empty one if it does not exist. */
    public synchronized EmulatedScaleSet scaleSet(String name) {
        return scaleSets.set(name);
    }

    /** Returns the single virtual machines. */
    public VirtualMachines virtualMachines() {
        return virtualMachines;
    }

    @Override
    public synchronized void stock(String group, int machines) {
        scaleSets
                .known(group)
                .orElseThrow(() -> new IllegalArgumentException("the emulated Azure has no scale set " + group))
                .stock(machines);
    }

    @Override
    public synchronized List<EmulatedMachine> machines() {
        advance();
        return Stream.concat(scaleSets.machines(), virtualMachines.machines())
                .sorted(Comparator.comparing(EmulatedMachine::launched).thenComparing(EmulatedMachine::name))
                .toList();
    }

    /** Runs all actions that are due. */
    public synchronized void advance() {
        scaleSets.advance(clock.instant());
        virtualMachines.advance(clock.instant());
    }

    /** Adds a size to those that Azure sells. Initially there are none. */
    public synchronized void sell(SoldSize size) {
        soldSizes.sell(size);
    }

    /** Sets the number of entries in a page; initially 50. */
    public synchronized void pageSize(int entries) {
        scaleSets.pageSize(entries);
        virtualMachines.pageSize(entries);
        soldSizes.pageSize(entries);
    }

    /** Injects a fault into matching requests until {@link #clearFaults}. If several faults match, the one injected first applies. */
    public synchronized void trouble(Predicate<ArmRequest> of, AzureFault fault) {
        troubles.add(new Trouble(of, fault, false));
    }

    public synchronized void troubleOnce(Predicate<ArmRequest> of, AzureFault fault) {
        troubles.add(new Trouble(of, fault, true));
    }

    public synchronized void clearFaults() {
        troubles.clear();
    }

    /** Sets the permissions that callers can read; initially all. The emulator does not enforce them. */
    public synchronized void grant(List<String> actions, List<String> notActions) {
        permissions.grant(actions, notActions);
    }

    /** Returns the number of requests with an injected fault. */
    public synchronized int troubles() {
        return troubled;
    }

    /** Sets the address to which links in answers lead, such as links to pages and operations. Initially, links lead to this server. */
    public synchronized void linkTo(URI address) {
        links = Optional.of(address);
    }

    /** Sets a function that changes the JSON of all answers. The request itself is executed unchanged. */
    public void rewrite(UnaryOperator<String> change) {
        rewriting = change;
    }

    private URI linked() {
        return links.orElseGet(this::url);
    }

    /** Sets whether requests for tokens are refused. */
    public synchronized void refuseTokens(boolean refuse) {
        refusesTokens = refuse;
    }

    /** Sets the value of the Retry-After header of throttling faults that have this header; initially 40 s. */
    public synchronized void retryAfter(Duration wait) {
        retryAfter = wait;
    }

    /** Enforces Azure's rate limits. */
    public synchronized void enforce(TokenBuckets limits) {
        buckets = Optional.of(limits);
    }

    /** Returns the requests that the emulator handled, the oldest first; see {@link Seen}. */
    public synchronized List<Seen> seen() {
        return List.copyOf(seen);
    }

    public synchronized void forget() {
        seen.clear();
    }

    /** Returns the permissions that the requests in {@link #seen} needed. */
    public synchronized SortedSet<String> actions() {
        var actions = new TreeSet<String>();
        seen.forEach(call -> {
            actions.add(call.action());
            actions.addAll(Actions.linked(call.request()));
        });
        return actions;
    }

    private void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            var request = ArmRequest.of(exchange);
            Optional<AzureFault> fault;
            ArmAnswer answer;
            synchronized (this) {
                advance();
                fault = fault(request);
                answer = fault.filter(f -> !f.isCarriedOut())
                        .map(f -> refusal(f, request))
                        .orElseGet(() -> answer(request));
            }
            if (fault.equals(Optional.of(AzureFault.HANGS))) {
                closed.await();
            }
            if (fault.filter(AzureEmulator::isSilent).isEmpty()) {
                write(exchange, answer, fault);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static boolean isSilent(AzureFault fault) {
        return fault == AzureFault.RESET || fault == AzureFault.LOST_ANSWER || fault == AzureFault.HANGS;
    }

    private void write(HttpExchange exchange, ArmAnswer answer, Optional<AzureFault> fault) throws IOException {
        answer.headers().forEach(exchange.getResponseHeaders()::set);
        exchange.getResponseHeaders().set("Content-Type", "application/json; charset=utf-8");
        var body = answer.body().isEmpty()
                ? new byte[0]
                : rewriting
                        .apply(ArmRequest.JSON.writeValueAsString(answer.body().get()))
                        .getBytes(StandardCharsets.UTF_8);
        int sent = fault.filter(AzureFault::cutsBody).isPresent() ? body.length / 2 : body.length;
        int announced = fault.equals(Optional.of(AzureFault.HALF_JSON)) ? sent : body.length;
        exchange.sendResponseHeaders(answer.status(), announced == 0 ? -1 : announced);
        if (announced > 0) {
            exchange.getResponseBody().write(body, 0, sent);
            exchange.getResponseBody().flush();
        }
    }

    private Optional<AzureFault> fault(ArmRequest request) {
        for (var trouble : List.copyOf(troubles)) {
            if (trouble.of().test(request)) {
                troubled++;
                if (trouble.once()) {
                    troubles.remove(trouble);
                }
                return Optional.of(trouble.fault());
            }
        }
        return Optional.empty();
    }

    private ArmAnswer refusal(AzureFault fault, ArmRequest request) {
        return switch (fault) {
            case RESET, HANGS, LOST_ANSWER, CUT_SHORT, HALF_JSON -> ArmAnswer.empty(500);
            case THROTTLED -> throttled();
            case THROTTLED_WITH_RETRY_AFTER -> throttled().with("Retry-After", Long.toString(retryAfter.toSeconds()));
            case SUBSCRIPTION_THROTTLED ->
                ArmAnswer.error(
                                429,
                                "SubscriptionRequestsThrottled",
                                "Number of requests for subscription '%s' and operation '%s' exceeded the backend storage limit."
                                        .formatted(SUBSCRIPTION, Actions.of(request)))
                        .with("Retry-After", Long.toString(retryAfter.toSeconds()));
            case INTERNAL_ERROR -> ArmAnswer.error(500, "InternalServerError", "Encountered internal server error.");
            case FORBIDDEN ->
                ArmAnswer.error(
                        403,
                        "AuthorizationFailed",
                        "The client 'abc' with object id 'abc' does not have authorization to perform action '%s' over scope '%s' or the scope is invalid."
                                .formatted(Actions.of(request), request.path()));
            case TOKEN_EXPIRED ->
                ArmAnswer.error(
                        401,
                        "ExpiredAuthenticationToken",
                        "The access token expiry UTC time is earlier than current UTC time.");
        };
    }

    private static ArmAnswer throttled() {
        var error = error(
                "OperationNotAllowed",
                "The server rejected the request because too many requests have been received for this subscription.");
        error.putArray("details")
                .addObject()
                .put("code", "TooManyRequests")
                .put("target", "HighCostGet30Min")
                .put("message", "{\"operationGroup\":\"HighCostGet30Min\",\"allowedRequestCount\":1317}");
        return ArmAnswer.error(429, error);
    }

    private ArmAnswer answer(ArmRequest request) {
        if (request.path().contains("/oauth2/") || request.path().contains("openid-configuration")) {
            return token(request);
        }
        seen.add(new Seen(clock.instant(), Actions.bucket(request), Actions.of(request), request));
        if (!request.headers().getOrDefault("authorization", "").startsWith("Bearer token-")) {
            return ArmAnswer.error(
                    401,
                    "AuthenticationFailedMissingToken",
                    "Authentication failed. The 'Authorization' header is missing.");
        }
        if (buckets.isPresent() && !buckets.get().take(request, clock.instant())) {
            return throttled().with("Retry-After", "15");
        }
        return Stream.<ArmResources>of(operations, scaleSets, virtualMachines, soldSizes, permissions)
                .flatMap(resources -> resources.answer(request).stream())
                .findFirst()
                .orElseGet(() -> ArmAnswer.notFound(request.path()));
    }

    /** Answers a request for a token, or for the configuration of the issuer, which is this server. */
    private ArmAnswer token(ArmRequest request) {
        ObjectNode body;
        if (request.path().contains("openid-configuration")) {
            body = ArmRequest.JSON
                    .createObjectNode()
                    .put("token_endpoint", url() + "/tenant/oauth2/v2.0/token")
                    .put("authorization_endpoint", url() + "/tenant/oauth2/v2.0/authorize")
                    .put("issuer", url() + "/tenant/v2.0");
        } else if (refusesTokens) {
            seen.add(new Seen(clock.instant(), "token", "token", request));
            return ArmAnswer.of(
                    401,
                    ArmRequest.JSON
                            .createObjectNode()
                            .put("error", "invalid_client")
                            .put("error_description", "AADSTS7000215: Invalid client secret provided."));
        } else {
            seen.add(new Seen(clock.instant(), "token", "token", request));
            body = ArmRequest.JSON
                    .createObjectNode()
                    .put("token_type", "Bearer")
                    .put("expires_in", 3599)
                    .put("access_token", "token-of-" + request.path().split("/", -1)[1]);
        }
        return ArmAnswer.of(200, body);
    }

    @Override
    public void close() {
        closed.countDown();
        server.close();
    }
}
