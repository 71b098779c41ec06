package dev.trainyard.emulator.azure;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.net.URI;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/** Changes that were accepted, and what became of them. Not thread-safe: for whoever holds the emulator's lock. */
final class Operations implements Resources {

    private final Clock clock;
    private final Supplier<URI> url;
    private final Map<String, Operation> operations = new LinkedHashMap<>();

    private record Operation(Instant begun, Instant ends, Optional<ObjectNode> failure) {}

    Operations(Clock clock, Supplier<URI> url) {
        this.clock = clock;
        this.url = url;
    }

    /** Has {@code answer} tell of a change that ends after so long, with that failure or well. */
    ArmAnswer accepted(ArmAnswer answer, Duration takes, Optional<ObjectNode> failure) {
        var id = "op-" + (operations.size() + 1);
        operations.put(id, new Operation(clock.instant(), clock.instant().plus(takes), failure));
        var address =
                "%s/subscriptions/%s/providers/Microsoft.Compute/locations/%s/operations/%s?p=x&api-version=2025-04-01"
                        .formatted(url.get(), AzureEmulator.SUBSCRIPTION, AzureEmulator.LOCATION, id);
        return answer.with("Azure-AsyncOperation", address)
                .with("Location", address + "&monitor=true")
                .with("Retry-After", "10");
    }

    @Override
    public Optional<ArmAnswer> answer(ArmRequest request) {
        if (!request.path().contains("/operations/")) {
            return Optional.empty();
        }
        var operation = operations.get(request.last());
        return Optional.of(
                operation == null
                        ? ArmAnswer.error(404, "NotFound", "The entity was not found.")
                        : tell(request.last(), operation));
    }

    private ArmAnswer tell(String id, Operation operation) {
        boolean over = !clock.instant().isBefore(operation.ends());
        var body = ArmRequest.JSON.createObjectNode();
        body.put("startTime", operation.begun().toString()).put("name", id);
        body.put("status", !over ? "InProgress" : operation.failure().isEmpty() ? "Succeeded" : "Failed");
        if (over) {
            body.put("endTime", operation.ends().toString());
            operation.failure().ifPresent(failure -> body.set("error", failure));
        }
        return ArmAnswer.of(200, body);
    }

    @Override
    public void advance(Instant now) {
        // They end as time passes, and nothing happens then.
    }
}
