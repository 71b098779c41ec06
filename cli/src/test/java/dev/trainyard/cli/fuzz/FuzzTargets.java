package dev.trainyard.cli.fuzz;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.trainyard.cli.importing.ImportRemarks;
import dev.trainyard.cli.importing.Imports;
import dev.trainyard.core.api.LabelSyntax;
import dev.trainyard.core.catalogue.Catalogue;
import dev.trainyard.core.resource.Quantities;
import dev.trainyard.extender.node.NodeIndex;
import dev.trainyard.extender.wire.MalformedRequestException;
import dev.trainyard.extender.wire.WireFormat;
import dev.trainyard.runtime.configuration.FileConfiguration;
import dev.trainyard.runtime.configuration.ResourceFileException;
import dev.trainyard.runtime.configuration.ResourceFiles;
import dev.trainyard.runtime.namespace.FileNamespaces;
import dev.trainyard.runtime.server.Request;
import dev.trainyard.scaler.observe.KubernetesObjects;
import dev.trainyard.scaler.observe.SnapshotReader;
import dev.trainyard.webhook.admission.MutateHandler;
import dev.trainyard.webhook.decision.PodDecider;
import dev.trainyard.webhook.pod.GpuNames;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeSpec;
import io.fabric8.kubernetes.api.model.NodeStatus;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.PodStatusBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.vertx.core.buffer.Buffer;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The parsers of external input, as Jazzer calls them: each is a class with {@code fuzzerTestOneInput}. A parser must refuse invalid input
 * with its documented exception, which is caught here. Any other exception is a bug.
 */
final class FuzzTargets {

    private static final JsonMapper JSON = JsonMapper.builder()
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .build();

    static final List<Class<?>> ALL = List.of(
            Review.class,
            ExtenderQuestion.class,
            QuantityText.class,
            PodSpecOfScaler.class,
            NodeOfScaler.class,
            LabelText.class,
            Configuration.class,
            EngineFile.class,
            KopsFile.class);

    private FuzzTargets() {}

    /** The body of a request to the webhook. */
    public static final class Review {
        private static final ResourceFiles RESOURCES =
                ResourceFiles.read(Path.of(System.getProperty("trainyard.root"), "manifests", "examples"));
        private static final MutateHandler HANDLER = new MutateHandler(
                new PodDecider("trainyard-system", GpuNames.DEFAULT),
                FileConfiguration.of(RESOURCES),
                FileNamespaces.of(RESOURCES),
                new SimpleMeterRegistry());

        private Review() {}

        public static void fuzzerTestOneInput(byte[] body) {
            var answer = HANDLER.handle(new Request(MutateHandler.PATH, "", Buffer.buffer(body), Optional.empty()));
            if (answer.body().toString().contains("internal error")) {
                throw new IllegalStateException(answer.body().toString());
            }
        }
    }

    /** The body of a request to the extender. */
    public static final class ExtenderQuestion {
        private static final WireFormat WIRE = new WireFormat(new NodeIndex(InstantSource.system()));

        private ExtenderQuestion() {}

        public static void fuzzerTestOneInput(byte[] body) {
            try {
                WIRE.read(body).pod().read();
            } catch (MalformedRequestException e) {
                // the parser refused the input with a message
            }
            try {
                WIRE.readPreemption(body).pod().read();
            } catch (MalformedRequestException e) {
                // the parser refused the input with a message
            }
        }
    }

    /** A quantity, which must be parsed quickly, and to the same number as by the client library. */
    public static final class QuantityText {
        private static final int SHORT = 64;

        private QuantityText() {}

        public static void fuzzerTestOneInput(byte[] bytes) {
            var text = new String(bytes, UTF_8);
            try {
                var amount = Quantities.parse("field", text);
                amount.toBigInteger();
                if (text.length() <= SHORT
                        && !text.matches(".*[eE].*")
                        && new Quantity(text).getNumericalAmount().compareTo(amount) != 0) {
                    throw new IllegalStateException("read as " + amount);
                }
            } catch (IllegalArgumentException e) {
                // the parser refused the input with a message
            }
        }
    }

    /** A pod's spec, as the scaler reads it. */
    public static final class PodSpecOfScaler {
        private PodSpecOfScaler() {}

        public static void fuzzerTestOneInput(byte[] json) {
            var pod = new Pod();
            pod.setMetadata(metadata());
            pod.setSpec(read(json, PodSpec.class));
            pod.setStatus(new PodStatusBuilder()
                    .withPhase("Pending")
                    .addNewCondition()
                    .withType("PodScheduled")
                    .withStatus("False")
                    .withReason("Unschedulable")
                    .endCondition()
                    .build());
            snapshot(List.of(pod), List.of());
        }
    }

    /** A node's labels, taints and amounts, as the scaler reads them. */
    public static final class NodeOfScaler {
        private NodeOfScaler() {}

        public static void fuzzerTestOneInput(byte[] json) {
            var node = new Node();
            node.setMetadata(metadata());
            node.setSpec(read(json, NodeSpec.class));
            node.setStatus(read(json, NodeStatus.class));
            snapshot(List.of(), List.of(node));
        }
    }

    /** A label's key and value. */
    public static final class LabelText {
        private LabelText() {}

        public static void fuzzerTestOneInput(byte[] bytes) {
            var text = new String(bytes, UTF_8);
            try {
                LabelSyntax.requireKey(text);
                LabelSyntax.requireValue(text);
            } catch (IllegalArgumentException e) {
                // the parser refused the input with a message
            }
        }
    }

    /** A file of pools, tiers and namespaces. */
    public static final class Configuration {
        private Configuration() {}

        public static void fuzzerTestOneInput(byte[] yaml) {
            try {
                var files = ResourceFiles.read("input", new ByteArrayInputStream(yaml));
                FileConfiguration.of(files).current();
                FileNamespaces.of(files).isComplete();
            } catch (ResourceFileException e) {
                // the parser refused the input with a message
            }
        }
    }

    /** The definition of a cluster of acs-engine or aks-engine. */
    public static final class EngineFile {
        private EngineFile() {}

        public static void fuzzerTestOneInput(byte[] json) {
            imported(json, file -> {
                Imports.acsEngine(
                        file, Optional.of("s"), Optional.of("g"), Optional.of("12345678"), new ImportRemarks());
                Imports.aksEngine(
                        file, Optional.of("s"), Optional.of("g"), Optional.of("12345678"), new ImportRemarks());
            });
        }
    }

    /** The InstanceGroups of kops. */
    public static final class KopsFile {
        private KopsFile() {}

        public static void fuzzerTestOneInput(byte[] yaml) {
            imported(yaml, file -> Imports.kops(file, Optional.of("c"), Optional.of("r"), new ImportRemarks()));
        }
    }

    private interface Import {
        void of(Path file);
    }

    private static void imported(byte[] bytes, Import reading) {
        try {
            var file = Files.createTempFile("fuzz", ".yaml");
            try {
                reading.of(Files.write(file, bytes));
            } catch (IllegalArgumentException e) {
                // the parser refused the input with a message
            } finally {
                Files.delete(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static ObjectMeta metadata() {
        var metadata = new ObjectMeta();
        metadata.setName("object");
        metadata.setNamespace("default");
        metadata.setCreationTimestamp("2026-01-05T12:00:00Z");
        return metadata;
    }

    /** Returns the parsed JSON; an empty object if it is invalid, because clients refuse invalid JSON before a component sees it. */
    private static <T> T read(byte[] json, Class<T> type) {
        try {
            var read = JSON.readValue(json, type);
            return read == null ? JSON.readValue("{}", type) : read;
        } catch (IOException e) { // also for bytes that are not text
            return read("{}".getBytes(UTF_8), type);
        }
    }

    private static void snapshot(List<Pod> pods, List<Node> nodes) {
        new SnapshotReader("trainyard-system")
                .read(
                        Instant.parse("2026-01-05T12:00:00Z"),
                        Catalogue.EMPTY,
                        new KubernetesObjects(pods, nodes, List.of(), List.of()),
                        Map.of(),
                        Map.of());
    }
}
