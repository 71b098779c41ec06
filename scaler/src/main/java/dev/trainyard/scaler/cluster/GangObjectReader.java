package dev.trainyard.scaler.cluster;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.trainyard.core.admission.UserText;
import dev.trainyard.core.gang.GangObject;
import dev.trainyard.runtime.kubernetes.ConnectionFailures;
import dev.trainyard.scaler.cluster.GangObjectAnswer.Failed;
import dev.trainyard.scaler.cluster.GangObjectAnswer.Failure;
import dev.trainyard.scaler.cluster.GangObjectAnswer.Read;
import dev.trainyard.scaler.cluster.GangObjectAnswer.Unusable;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A reader of single objects that describe gangs. The definitions of these objects may be installed, removed and upgraded while the scaler
 * runs. So the reader asks the API server which version of an API group has the resource, and asks again from time to time. Used by one
 * thread at a time.
 */
final class GangObjectReader {

    /** The greatest length of the kept parts of an object, as JSON text. */
    static final int LARGEST = 64 * 1024;

    /** The time after which a known version of an API is asked for again. */
    static final Duration VERSION_KEPT = Duration.ofMinutes(10);

    /** The age from which a version is not trusted if the API server finds no object under the version. */
    static final Duration VERSION_DOUBTED = Duration.ofMinutes(1);

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int FORBIDDEN = 403;
    private static final int NOT_FOUND = 404;
    private static final int LONGEST_NAME = 253;

    /**
     * The syntax of each part of an object's path. The parts come from pods, where the API server does not check them. Another part could
     * lead to the path of another API.
     */
    private static final Pattern PART = Pattern.compile("[a-z0-9]([a-z0-9.-]*[a-z0-9])?");

    /** The annotation in which kubectl keeps a copy of the object. */
    private static final String LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";

    /** The parts of pod templates that are most of an object. No gang is read from them. */
    private static final List<String> OF_POD_TEMPLATES =
            List.of("containers", "initContainers", "ephemeralContainers", "volumes");

    private final KubernetesClient client;
    private final LongSupplier nanoTime;
    private final Map<Resource, Version> versions = new HashMap<>();

    private record Resource(String group, String name) {}

    private record Version(String name, long discoveredAt) {}

    GangObjectReader(KubernetesClient client, LongSupplier nanoTime) {
        this.client = client;
        this.nanoTime = nanoTime;
    }

    /** Returns why there can be no such object; empty if there can be. */
    static Optional<String> invalid(GangObject object) {
        return Stream.of(object.group(), object.resource(), object.namespace(), object.name())
                        .allMatch(part -> part.length() <= LONGEST_NAME
                                && PART.matcher(part).matches())
                ? Optional.empty()
                : Optional.of(
                        "%s cannot exist: '%s' is not a valid name; expected lower case letters, digits, '-' and '.'"
                                .formatted(UserText.shown(object.toString()), UserText.shown(object.name())));
    }

    /** Reads a {@linkplain #invalid valid} object. Waits for the API server. Throws no exception. */
    GangObjectAnswer read(GangObject object) {
        try {
            return readAt(object, version(object, VERSION_KEPT));
        } catch (Failing e) {
            return new Failed(e.failure, String.valueOf(e.getMessage()));
        } catch (RuntimeException e) { // such as of a client that is being closed
            return new Failed(Failure.UNAVAILABLE, UserText.shown(e.toString()));
        }
    }

    private GangObjectAnswer readAt(GangObject object, String version) throws Failing {
        var collection = "/apis/%s/%s/namespaces/%s/%s"
                .formatted(object.group(), version, object.namespace(), object.resource());
        var answer = get(collection, "/" + object.name());
        if (answer.isPresent()) {
            return kept(object, answer.get());
        }
        var current = version(object, VERSION_DOUBTED);
        return current.equals(version)
                ? new Unusable("%s does not exist; create it".formatted(object))
                : readAt(object, current);
    }

    private static GangObjectAnswer kept(GangObject object, JsonNode whole) throws Failing {
        var metadata = whole.path("metadata");
        if (!metadata.path("uid").isTextual() || !whole.path("spec").isObject()) {
            throw new Failing(
                    Failure.MALFORMED,
                    "the API server's answer has no metadata.uid or no spec; compare it with `kubectl get -o yaml`");
        }
        if (object.uid()
                .filter(uid -> !uid.equals(metadata.path("uid").asText()))
                .isPresent()) {
            return new Unusable("%s does not exist; another object of this name replaced it".formatted(object));
        }
        var spec = whole.path("spec");
        withoutPods(spec);
        var kept = JSON.createObjectNode();
        var keptMetadata = kept.putObject("metadata");
        keptMetadata.set("uid", metadata.path("uid"));
        if (metadata.path("annotations") instanceof ObjectNode annotations) {
            annotations.remove(LAST_APPLIED);
            keptMetadata.set("annotations", annotations);
        }
        kept.set("spec", spec);
        int size = spec.toString().length()
                + keptMetadata.path("annotations").toString().length();
        if (size > LARGEST) {
            return new Unusable(
                    "%s is too large: its spec and its annotations have %d characters without containers; expected at most %d"
                            .formatted(object, size, LARGEST));
        }
        return new Read(kept, size);
    }

    private static void withoutPods(JsonNode part) {
        if (part instanceof ObjectNode fields) {
            fields.remove(OF_POD_TEMPLATES);
        }
        part.forEach(GangObjectReader::withoutPods);
    }

    /**
     * Returns the version to read the object in.
     *
     * @param kept how old a known version may be
     */
    private String version(GangObject object, Duration kept) throws Failing {
        var resource = new Resource(object.group(), object.resource());
        var known = versions.get(resource);
        long now = nanoTime.getAsLong();
        if (known != null && now - known.discoveredAt() < kept.toNanos()) {
            return known.name();
        }
        versions.remove(resource);
        for (var version : offered(object.group())) {
            if (has(object.group(), version, object.resource())) {
                versions.put(resource, new Version(version, now));
                return version;
            }
        }
        throw new Failing(
                Failure.NOT_SERVED,
                "the API server has no %s of %s; install their definition (CRD)"
                        .formatted(resource.name(), resource.group()));
    }

    /** Returns the versions of an API group. The preferred version is the first, but may lack some of the group's resources. */
    private Set<String> offered(String group) throws Failing {
        var versions = new LinkedHashSet<String>();
        get("/apis/" + group, "").ifPresent(found -> {
            add(versions, found.at("/preferredVersion/version"));
            found.path("versions").forEach(version -> add(versions, version.path("version")));
        });
        return versions;
    }

    private static void add(Set<String> versions, JsonNode version) {
        if (PART.matcher(version.asText()).matches()) {
            versions.add(version.asText());
        }
    }

    private boolean has(String group, String version, String resource) throws Failing {
        var answer = get("/apis/%s/%s".formatted(group, version), "");
        if (answer.isPresent()) {
            for (var offered : answer.get().path("resources")) {
                if (offered.path("name").asText().equals(resource)) {
                    return true;
                }
            }
        }
        return false;
    }

    /**
     * Returns the answer to a request; empty if the API server answers 404.
     *
     * @param path the part of the request's path that messages name
     * @param name the rest of the path
     */
    private Optional<JsonNode> get(String path, String name) throws Failing {
        try {
            @Nullable String answer = client.raw(path + name);
            return answer == null ? Optional.empty() : Optional.of(JSON.readTree(answer));
        } catch (JsonProcessingException e) {
            throw new Failing(
                    Failure.MALFORMED,
                    "the answer from %s is not JSON: %s".formatted(path, UserText.shown(e.getOriginalMessage())));
        } catch (KubernetesClientException e) {
            if (e.getCode() == NOT_FOUND) {
                return Optional.empty();
            }
            throw e.getCode() == FORBIDDEN ? forbidden(path) : unavailable(path, e);
        }
    }

    private static Failing forbidden(String path) {
        return new Failing(
                Failure.FORBIDDEN,
                "the API server answered 403 to GET %s; apply manifests/components/gang-owners, or set gangOwners=true of the chart"
                        .formatted(path));
    }

    private static Failing unavailable(String path, KubernetesClientException problem) {
        return new Failing(
                Failure.UNAVAILABLE,
                problem.getCode() > 0
                        ? "the API server answered %d to GET %s; the scaler tries again"
                                .formatted(problem.getCode(), path)
                        : "the API server did not answer GET %s: %s; the scaler tries again"
                                .formatted(path, UserText.shown(ConnectionFailures.reason(problem))));
    }

    /** A failed request. */
    private static final class Failing extends Exception {
        private static final long serialVersionUID = 1;

        private final Failure failure;

        Failing(Failure failure, String message) {
            super(message, null, false, false);
            this.failure = failure;
        }
    }
}
