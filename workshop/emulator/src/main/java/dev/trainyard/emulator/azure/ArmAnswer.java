package dev.trainyard.emulator.azure;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** An answer of Azure. Immutable except for its body. */
record ArmAnswer(int status, Optional<ObjectNode> body, Map<String, String> headers) {

    static ArmAnswer of(int status, ObjectNode body) {
        return new ArmAnswer(status, Optional.of(body), Map.of());
    }

    static ArmAnswer empty(int status) {
        return new ArmAnswer(status, Optional.empty(), Map.of());
    }

    static ArmAnswer error(int status, String code, String message) {
        return error(status, AzureEmulator.error(code, message));
    }

    static ArmAnswer error(int status, JsonNode error) {
        var body = ArmRequest.JSON.createObjectNode();
        body.set("error", error);
        return of(status, body);
    }

    static ArmAnswer notFound(String path) {
        return error(404, "ResourceNotFound", "The Resource '%s' was not found.".formatted(path));
    }

    ArmAnswer with(String header, String value) {
        var all = new LinkedHashMap<>(headers);
        all.put(header, value);
        return new ArmAnswer(status, body, all);
    }
}
