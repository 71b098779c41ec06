package dev.trainyard.cloud.azure;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * A change that Azure has accepted and carries out.
 *
 * @param url the URL that shows its state; empty if Azure named none
 * @param removes the machines that it removes; empty for other changes
 * @param begun when Azure accepted it
 * @param repeated whether it repeats an operation that another change interrupted
 */
record Operation(Optional<String> url, Set<String> removes, Instant begun, boolean repeated) {

    private static final ObjectMapper JSON = new ObjectMapper();

    Operation {
        removes = Set.copyOf(removes);
    }

    boolean isRemoval() {
        return !removes.isEmpty();
    }

    /**
     * The state of an operation, and its result if it is over.
     *
     * @param known whether Azure reported the state; an unknown operation counts as running
     */
    record Outcome(boolean known, boolean over, Optional<ArmError> failure, Optional<Instant> at) {
        static final Outcome UNKNOWN = new Outcome(false, false, Optional.empty(), Optional.empty());
        static final Outcome GOES_ON = new Outcome(true, false, Optional.empty(), Optional.empty());
        static final Outcome DONE = new Outcome(true, true, Optional.empty(), Optional.empty());
    }

    /**
     * Parses Azure's answer about an operation. The body has the {@code status} of the operation. An answer from a {@code Location} address
     * has only the HTTP status.
     *
     * @throws IOException if the body is not JSON
     */
    static Outcome parse(int status, String body) throws IOException {
        if (status == 404 || status == 410) {
            // Azure forgets an operation a while after its end. From then on, only the scale set's state shows the
            // result.
            return Outcome.DONE;
        }
        if (status == 401 || status == 403 || status == 429 || status >= 500) {
            return Outcome.UNKNOWN;
        }
        var json = body.isBlank() ? JSON.missingNode() : JSON.readTree(body);
        var state = json.path("status").asText("").toLowerCase(Locale.ROOT);
        if (status >= 400) {
            return failed(status, json);
        }
        return switch (state) {
            case "succeeded" -> Outcome.DONE;
            case "failed", "canceled" -> failed(status, json);
            case "" -> status == 202 ? Outcome.GOES_ON : Outcome.DONE;
            default -> Outcome.GOES_ON;
        };
    }

    /** Returns the error of an answer that is not a success. */
    static ArmError error(int status, String body) {
        try {
            return error(status, JSON.readTree(body).path("error"));
        } catch (IOException e) {
            return ArmError.of(status, "", "");
        }
    }

    private static Outcome failed(int status, JsonNode json) {
        var error = json.path("error");
        var told = error.isMissingNode()
                ? ArmError.of(status, json.path("status").asText(""), "the operation did not succeed")
                : error(status, error);
        return new Outcome(
                true, true, Optional.of(told), time(json.path("endTime").asText("")));
    }

    private static ArmError error(int status, JsonNode error) {
        var details = new ArrayList<ArmError>();
        error.path("details").forEach(detail -> details.add(error(status, detail)));
        return new ArmError(
                status, error.path("code").asText(""), error.path("message").asText(""), details);
    }

    private static Optional<Instant> time(String text) {
        try {
            return Optional.of(OffsetDateTime.parse(text).toInstant());
        } catch (DateTimeException e) {
            return Optional.empty();
        }
    }
}
