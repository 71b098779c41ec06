package dev.trainyard.cloud.azure;

import com.azure.core.exception.ClientAuthenticationException;
import com.azure.core.exception.HttpResponseException;
import com.azure.core.http.HttpHeaderName;
import com.azure.core.http.HttpHeaders;
import com.azure.core.http.HttpMethod;
import com.azure.core.http.HttpRequest;
import com.azure.core.http.HttpResponse;
import com.azure.core.http.rest.PagedFlux;
import com.azure.core.http.rest.PagedResponse;
import com.azure.core.http.rest.Response;
import com.azure.core.management.exception.ManagementError;
import com.azure.core.management.exception.ManagementException;
import com.azure.resourcemanager.compute.implementation.ComputeManagementClientBuilder;
import com.azure.resourcemanager.compute.implementation.ComputeManagementClientImpl;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.microsoft.aad.msal4j.MsalServiceException;
import dev.trainyard.cloud.azure.Operation.Outcome;
import java.io.IOException;
import java.net.ConnectException;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpTimeoutException;
import java.nio.ByteBuffer;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import reactor.core.Exceptions;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Requests to Azure Resource Manager for one subscription. No request is retried here, because the scaler retries failed calls itself.
 * Every request has a timeout, so that a silent Azure does not delay a round for long. Thread-safe.
 */
final class Arm {

    /**
     * How long requests about a resource pause after Azure did not answer one of them. All requests pause if Azure does not answer for two
     * resources, or if no connection can be made. Otherwise ten pools would wait for the same timeout one after another.
     */
    static final Duration SILENCE = Duration.ofSeconds(5);

    /** The time limit for reading a whole list, as a multiple of the timeout of one page. */
    private static final int MOST_PAGES = 20;

    /** The maximum number of pages of a list of resources for which the trimmed SDK has no client. */
    private static final int MOST_JSON_PAGES = 1_000;

    static final ObjectMapper JSON = new ObjectMapper();

    private static final String ANY = "any";
    private static final HttpHeaderName ASYNC_OPERATION = HttpHeaderName.fromString("Azure-AsyncOperation");

    private final AzureAccess access;
    private final ComputeManagementClientImpl compute;
    private final Throttle throttle;
    private final Throttle silence;
    private final Clock clock;
    private final Runnable tokenRefused;
    private @Nullable Silent silent;

    /** The last resource for which Azure did not answer a request. */
    private record Silent(String resource, Instant at) {}

    /** @param tokenRefused called if Azure refuses a token for the credentials */
    Arm(AzureAccess access, String subscription, Clock clock, Throttle throttle, Runnable tokenRefused) {
        this.access = access;
        this.clock = clock;
        this.tokenRefused = tokenRefused;
        this.compute = new ComputeManagementClientBuilder()
                .pipeline(access.pipeline())
                .endpoint(access.endpoint())
                .subscriptionId(subscription)
                .buildClient();
        this.throttle = throttle;
        this.silence = new Throttle(clock);
    }

    ComputeManagementClientImpl compute() {
        return compute;
    }

    /**
     * An accepted request.
     *
     * @param operation the URL of the operation that carries out the request; empty if Azure named none
     */
    record Accepted(int status, Optional<String> operation) {}

    /** @param bucket the name of Azure's rate limit for this request: a kind of request, a space, and a resource */
    <T> T get(String bucket, Supplier<Mono<Response<T>>> request) throws ArmException {
        return ask(bucket, () -> request.get().map(Response::getValue));
    }

    /** Starts an operation without waiting for its end. */
    Accepted begin(String bucket, Supplier<Mono<Response<Flux<ByteBuffer>>>> request) throws ArmException {
        return ask(
                bucket,
                () -> request.get()
                        .flatMap(response -> response.getValue()
                                .then(Mono.fromSupplier(
                                        () -> accepted(response.getStatusCode(), response.getHeaders()))))
                        // The SDK reports a 202 as an error if the specification expects a 200. The change is made
                        // nevertheless.
                        .onErrorResume(
                                HttpResponseException.class,
                                e -> e.getResponse() != null && e.getResponse().getStatusCode() / 100 == 2
                                        ? Mono.just(accepted(
                                                e.getResponse().getStatusCode(),
                                                e.getResponse().getHeaders()))
                                        : Mono.error(e)));
    }

    private Accepted accepted(int status, HttpHeaders headers) {
        return new Accepted(status, operation(headers));
    }

    /** All items of a paged list, and its number of pages. */
    record Pages<T>(List<T> items, int pages) {}

    <T> Pages<T> list(String bucket, Supplier<PagedFlux<T>> request) throws ArmException {
        var pages = ask(
                bucket,
                () -> request.get().byPage().timeout(access.timeout()).collectList(),
                access.timeout().multipliedBy(MOST_PAGES));
        var items = new ArrayList<T>();
        for (PagedResponse<T> page : pages) {
            if (page.getValue() == null) {
                throw new ArmException(
                        ArmError.of(0, "", "Azure returned a page of a list that lacks the field 'value'"));
            }
            items.addAll(page.getValue());
        }
        return new Pages<>(List.copyOf(items), pages.size());
    }

    /** Sends a request about a kind of resource for which the trimmed SDK has no client. */
    Accepted send(String bucket, HttpMethod method, String path, String apiVersion, @Nullable JsonNode body)
            throws ArmException {
        var answer =
                exchange(bucket, method, "%s%s?api-version=%s".formatted(access.endpoint(), path, apiVersion), body);
        return accepted(answer.status(), answer.headers());
    }

    /** Returns all items of a paged list of resources for which the trimmed SDK has no client. */
    List<JsonNode> listJson(String bucket, String path, String apiVersion) throws ArmException {
        var items = new ArrayList<JsonNode>();
        var read = new HashSet<String>();
        var url = "%s%s?api-version=%s".formatted(access.endpoint(), path, apiVersion);
        while (!url.isEmpty()) {
            if (!read.add(url)) {
                throw new ArmException(ArmError.of(0, "", "the next page of a list was read already: " + url));
            }
            if (read.size() > MOST_JSON_PAGES) {
                throw new ArmException(
                        ArmError.of(0, "", "a list has more than %d pages: %s".formatted(MOST_JSON_PAGES, path)));
            }
            if (!access.isOwn(url)) {
                throw new ArmException(
                        ArmError.of(0, "", "the next page of a list has an address outside Azure: " + url));
            }
            JsonNode page;
            try {
                page = JSON.readTree(exchange(bucket, HttpMethod.GET, url, null).body());
            } catch (IOException e) {
                throw new ArmException(ArmError.of(0, "", "no complete answer: " + firstLine(e)));
            }
            if (!page.path("value").isArray()) {
                throw new ArmException(
                        ArmError.of(0, "", "Azure returned a page of a list whose field 'value' is not a list"));
            }
            page.path("value").forEach(items::add);
            url = page.path("nextLink").asText("");
        }
        return items;
    }

    private Answer exchange(String bucket, HttpMethod method, String url, @Nullable JsonNode body) throws ArmException {
        var request = new HttpRequest(method, url);
        if (body != null) {
            request.setHeader(HttpHeaderName.CONTENT_TYPE, "application/json").setBody(body.toString());
        }
        var answer = ask(
                bucket,
                () -> access.pipeline()
                        .send(request)
                        .flatMap(response -> response.getBodyAsString()
                                .defaultIfEmpty("")
                                .map(text -> new Answer(response.getStatusCode(), response.getHeaders(), text))));
        if (answer.status() / 100 == 2) {
            return answer;
        }
        var error = Operation.error(answer.status(), answer.body());
        throw answer.status() == 429 ? throttled(bucket, error, answer.headers()) : new ArmException(error);
    }

    /** Records a throttled request. Most limits apply to one kind of request; one limit applies to all requests of a subscription. */
    private ArmException throttled(String bucket, ArmError error, HttpHeaders headers) {
        var held = error.has("SubscriptionRequestsThrottled") ? ANY : bucket;
        return new ArmException(error, throttle.refused(held, retryAfter(headers)));
    }

    /** @throws ArmException while Azure throttles this kind of request; no request is made */
    void check(String bucket) throws ArmException {
        throttle.check(ANY);
        throttle.check(bucket);
    }

    /** Returns the current state of an operation. */
    Outcome look(String bucket, String url) throws ArmException {
        var answer = ask(
                bucket,
                () -> access.pipeline()
                        .send(new HttpRequest(HttpMethod.GET, url))
                        .flatMap(response -> response.getBodyAsString()
                                .defaultIfEmpty("")
                                .map(body -> new Answer(response.getStatusCode(), response.getHeaders(), body))));
        try {
            if (answer.status() == 429) {
                throw throttled(bucket, Operation.error(429, answer.body()), answer.headers());
            }
            return Operation.parse(answer.status(), answer.body());
        } catch (IOException e) {
            throw new ArmException(
                    ArmError.of(0, "", "the state of an operation could not be read: " + e.getMessage()));
        }
    }

    private record Answer(int status, HttpHeaders headers, String body) {}

    private Optional<String> operation(HttpHeaders headers) {
        return Optional.ofNullable(headers.getValue(ASYNC_OPERATION))
                .or(() -> Optional.ofNullable(headers.getValue(HttpHeaderName.LOCATION)))
                .filter(access::isOwn);
    }

    private <T> T ask(String bucket, Supplier<Mono<T>> request) throws ArmException {
        return ask(bucket, request, access.timeout());
    }

    private <T> T ask(String bucket, Supplier<Mono<T>> request, Duration limit) throws ArmException {
        check(bucket);
        try {
            silence.check(ANY);
            silence.check(resource(bucket));
        } catch (ArmException e) {
            throw new ArmException(
                    ArmError.of(0, "", "Azure did not answer the last request; the scaler tries again soon"));
        }
        try {
            var answer = request.get().block(limit);
            if (answer == null) {
                throw new ArmException(ArmError.of(0, "", "Azure's answer was empty"));
            }
            return answer;
        } catch (RuntimeException e) {
            if (Thread.currentThread().isInterrupted()) {
                throw e;
            }
            throw refused(bucket, Exceptions.unwrap(e));
        }
    }

    private ArmException refused(String bucket, Throwable e) {
        if (isTokenRefused(e)) {
            tokenRefused.run();
            return new ArmException(ArmError.of(401, "AuthenticationFailed", firstLine(e)));
        }
        if (e instanceof HttpResponseException answered && answered.getResponse() != null) {
            var response = answered.getResponse();
            var error = error(answered, response);
            return response.getStatusCode() == 429
                    ? throttled(bucket, error, response.getHeaders())
                    : new ArmException(error);
        }
        if (root(e) instanceof ConnectException || root(e) instanceof HttpConnectTimeoutException) {
            silence.refused(ANY, Optional.of(SILENCE));
        }
        // Reactor reports a timeout as an IllegalStateException.
        if (e instanceof IllegalStateException || isTimeout(e)) {
            isSilent(resource(bucket));
            return new ArmException(ArmError.of(
                    0, "", "no answer within %d s".formatted(access.timeout().toSeconds())));
        }
        return new ArmException(ArmError.of(0, "", "no complete answer: " + firstLine(root(e))));
    }

    /**
     * Whether the credentials were refused. Some kinds of credentials report a refusal by an exception of MSAL, the library below the SDK.
     */
    private static boolean isTokenRefused(Throwable e) {
        if (e instanceof ClientAuthenticationException && !(e.getCause() instanceof IOException)) {
            return true;
        }
        for (var cause = e; cause != null; cause = cause.getCause()) {
            if (cause instanceof MsalServiceException told
                    && told.statusCode() != null
                    && told.statusCode() / 100 == 4
                    && told.statusCode() != 429) {
                return true;
            }
        }
        return false;
    }

    private synchronized void isSilent(String resource) {
        var now = clock.instant();
        var before = silent;
        boolean others = before != null
                && !before.resource().equals(resource)
                && now.isBefore(before.at().plus(SILENCE).plus(access.timeout()));
        silent = new Silent(resource, now);
        silence.refused(others ? ANY : resource, Optional.of(SILENCE));
    }

    /** Returns the resource that the requests of a bucket are about. */
    private static String resource(String bucket) {
        return bucket.substring(bucket.indexOf(' ') + 1);
    }

    private static ArmError error(HttpResponseException e, HttpResponse response) {
        int status = response.getStatusCode();
        return e instanceof ManagementException managed && managed.getValue() != null
                ? error(status, managed.getValue())
                : ArmError.of(
                        status,
                        "",
                        status < 400 ? "Azure's answer cannot be read: " + firstLine(root(e)) : "HTTP " + status);
    }

    private static ArmError error(int status, ManagementError error) {
        var details = Optional.ofNullable(error.getDetails()).orElse(List.of()).stream()
                .map(detail -> error(status, detail))
                .toList();
        return new ArmError(status, orEmpty(error.getCode()), orEmpty(error.getMessage()), details);
    }

    /** Returns the delay that Azure requests. The HTTP header contains seconds or a date. */
    static Optional<Duration> retryAfter(HttpHeaders headers) {
        var value = headers.getValue(HttpHeaderName.RETRY_AFTER);
        if (value == null) {
            return Optional.empty();
        }
        try {
            return Optional.of(Duration.ofSeconds(Math.max(0, Long.parseLong(value.strip()))));
        } catch (NumberFormatException e) {
            return date(value)
                    .flatMap(at -> date(headers.getValue(HttpHeaderName.DATE))
                            .map(now -> Duration.between(now, at))
                            .filter(wait -> !wait.isNegative()));
        }
    }

    private static Optional<ZonedDateTime> date(@Nullable String value) {
        try {
            return value == null
                    ? Optional.empty()
                    : Optional.of(ZonedDateTime.parse(value, DateTimeFormatter.RFC_1123_DATE_TIME));
        } catch (DateTimeParseException e) {
            return Optional.empty();
        }
    }

    private static boolean isTimeout(Throwable e) {
        for (var cause = e; cause != null; cause = cause.getCause()) {
            if (cause instanceof TimeoutException || cause instanceof HttpTimeoutException) {
                return true;
            }
        }
        return false;
    }

    private static Throwable root(Throwable e) {
        var root = e;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        return root;
    }

    private static String firstLine(Throwable e) {
        var message = e.getMessage();
        return message == null || message.isBlank()
                ? e.getClass().getSimpleName()
                : message.strip().lines().findFirst().orElse("");
    }

    private static String orEmpty(@Nullable String text) {
        return text == null ? "" : text;
    }
}
