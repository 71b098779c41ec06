package dev.trainyard.cli.released;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.tuple;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.trainyard.core.Names;
import dev.trainyard.core.api.TrainingPoolStatus;
import dev.trainyard.core.api.TrainingPoolStatus.BackOff;
import dev.trainyard.core.api.TrainingPoolStatus.ConditionStatus;
import dev.trainyard.core.api.TrainingPoolStatus.ExclusionStatus;
import dev.trainyard.core.api.TrainingPoolStatus.MachineStatus;
import dev.trainyard.core.api.TrainingPoolStatus.NodesStatus;
import dev.trainyard.core.api.TrainingPoolStatus.OwedStatus;
import dev.trainyard.core.api.TrainingTierStatus;
import dev.trainyard.core.catalogue.Problem;
import dev.trainyard.core.report.UnplacedPod;
import dev.trainyard.extender.calls.Heartbeat;
import dev.trainyard.runtime.configuration.Catalogues;
import dev.trainyard.runtime.kubernetes.KubernetesClients;
import dev.trainyard.runtime.resource.TrainingPool;
import dev.trainyard.runtime.resource.TrainingTier;
import dev.trainyard.scaler.ledger.LedgerStatus;
import dev.trainyard.scaler.observe.Refusals;
import dev.trainyard.scaler.observe.Removal;
import dev.trainyard.scaler.observe.ScalerAnnotations;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.io.IOException;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests that components of the last release and of this one understand each other's messages and stored objects. The directory
 * {@code released} holds the formats of the last release. Rewrite it for each release with {@code -Dtrainyard.release=true}, before the
 * tag.
 */
class ReleasedFormatsTest {

    private static final Path RELEASED =
            Path.of(System.getProperty("trainyard.root"), "cli/src/test/resources/released");
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final KubernetesSerialization KUBERNETES = KubernetesClients.serialization();
    private static final Instant TIME = Instant.parse("2026-11-22T10:00:00Z");

    private static final UnplacedPod REPORT = new UnplacedPod(
            "6f4e7f0c-5d0e-4c5b-9a55-0f6a8d5b2a11",
            "team",
            "train-0",
            TIME.toEpochMilli(),
            Map.of("node(s) being removed", 2));

    private static final List<ConditionStatus> CONDITIONS =
            List.of(new ConditionStatus("Provisioning", "False", "SpotCapacity", "none to be had", TIME.toString()));

    private static final TrainingPoolStatus POOL_STATUS = new TrainingPoolStatus(
            3L,
            10,
            4,
            6,
            List.of(
                    new OwedStatus(TIME.toString(), 5),
                    new OwedStatus(TIME.plusSeconds(60).toString(), 1)),
            "waits",
            new BackOff(TIME.toString(), "spot-capacity", "none to be had", 2),
            new MachineStatus("Standard_NC6s_v7", 6, 112 * 1024, 1, "Tesla-V100", 16384L, 110),
            new NodesStatus(
                    List.of("kubernetes.io/hostname"),
                    TIME.toString(),
                    List.of(new ExclusionStatus("0f6a8d5b2a11", TIME.toString(), 1, "cannot run on machine spot-1")),
                    List.of("spot-1", "spot-2"),
                    Map.of("spot-2", TIME.toString()),
                    null,
                    null,
                    null),
            null,
            CONDITIONS);

    private static final TrainingTierStatus TIER_STATUS = new TrainingTierStatus(2L, "ready", CONDITIONS, null);

    private static final ScalerAnnotations MARKS = new ScalerAnnotations(
            Optional.of(TIME),
            Optional.of(TIME.plusSeconds(1)),
            0,
            Optional.of(TIME.plusSeconds(2)),
            Optional.of(TIME.plusSeconds(3)),
            Optional.of(TIME.plusSeconds(4)),
            Optional.empty(),
            Optional.empty(),
            Optional.of(new Removal(Removal.Reason.UNDER_UTILIZED, TIME.plusSeconds(5))),
            Optional.empty(),
            Optional.of(new Refusals(2, TIME.plusSeconds(6))),
            Optional.of(TIME.plusSeconds(7)));

    /** The formats that this release writes, by file name. */
    private final Map<String, JsonNode> today = new TreeMap<>();

    @BeforeEach
    void write() throws IOException {
        var pool = (ObjectNode) JSON.readTree("""
                {"apiVersion": "trainyard.dev/v1alpha1", "kind": "TrainingPool", "metadata": {"name": "spot"},
                 "spec": {"provider": {"azureScaleSet": {"subscriptionId": "00000000-0000-0000-0000-000000000000",
                   "resourceGroup": "rg", "name": "spot"}}, "capacityType": "spot", "promise": {"instanceType": "Standard_NC6s_v7"}}}""");
        pool.set("status", JSON.valueToTree(POOL_STATUS));
        var tier = (ObjectNode) JSON.readTree("""
                {"apiVersion": "trainyard.dev/v1alpha1", "kind": "TrainingTier", "metadata": {"name": "gpu"}, "spec": {"pools": ["spot"]}}""");
        tier.set("status", JSON.valueToTree(TIER_STATUS));
        today.put("report.json", JSON.valueToTree(REPORT));
        today.put("pool.json", pool);
        today.put("tier.json", tier);
        today.put("marks.json", JSON.valueToTree(marks()));
        today.put("names.json", JSON.valueToTree(names()));
        for (var file : today.entrySet()) {
            file.setValue(JSON.readTree(file.getValue().toString())); // gives numbers the types that a reader sees
        }
        if (Boolean.getBoolean("trainyard.release")) {
            for (var file : today.entrySet()) {
                Files.writeString(
                        RELEASED.resolve(file.getKey()), file.getValue().toPrettyString() + "\n");
            }
        }
    }

    /** This release may write additional fields, which the last release ignores. */
    @ParameterizedTest
    @ValueSource(strings = {"report.json", "pool.json", "tier.json", "marks.json", "names.json"})
    void whatWasWrittenIsWrittenStill(String file) throws IOException {
        assertThat(missing("", released(file), today.get(file))).isEmpty();
    }

    @Test
    void whatWasWrittenIsReadAsItWasMeant() throws IOException {
        assertThat(JSON.treeToValue(released("report.json"), UnplacedPod.class)).isEqualTo(REPORT);
        assertThat(pool(released("pool.json")).getStatus()).isEqualTo(POOL_STATUS);
        assertThat(tier(released("tier.json")).getStatus()).isEqualTo(TIER_STATUS);
        assertThat(ScalerAnnotations.of(texts(released("marks.json")))).isEqualTo(MARKS);
    }

    /** The next release may add fields. */
    @ParameterizedTest
    @CsvSource({
        "report.json, ''",
        "pool.json, ''",
        "pool.json, /spec",
        "pool.json, /spec/provider",
        "pool.json, /spec/provider/azureScaleSet",
        "pool.json, /spec/promise",
        "pool.json, /status",
        "pool.json, /status/backOff",
        "pool.json, /status/machine",
        "pool.json, /status/conditions/0",
        "tier.json, /spec",
        "tier.json, /status",
        "tier.json, /status/conditions/0"
    })
    void whatIsNotKnownYetIsPassedOver(String file, String where) throws IOException {
        var later = released(file);
        ((ObjectNode) later.at(where)).putObject("addedLater").put("value", 1);

        switch (file) {
            case "report.json" ->
                assertThat(JSON.treeToValue(later, UnplacedPod.class)).isEqualTo(REPORT);
            case "pool.json" -> {
                assertThat(pool(later).getStatus()).isEqualTo(POOL_STATUS);
                assertThat(pool(later).getSpec()).isEqualTo(pool(released(file)).getSpec());
            }
            default -> {
                assertThat(tier(later).getStatus()).isEqualTo(TIER_STATUS);
                assertThat(tier(later).getSpec()).isEqualTo(tier(released(file)).getSpec());
            }
        }
    }

    /** Tests a capacity type, a cloud and a driver mode that only the next release has. */
    @Test
    void oneObjectWithAWordThatIsNotKnownYetStopsNoOther() throws IOException {
        var reserved = released("pool.json");
        ((ObjectNode) reserved.at("/metadata")).put("name", "reserved");
        ((ObjectNode) reserved.at("/spec")).put("capacityType", "reserved");
        ((ObjectNode) reserved.at("/spec/provider/azureScaleSet")).put("name", "reserved");
        var elsewhere = released("pool.json");
        ((ObjectNode) elsewhere.at("/metadata")).put("name", "elsewhere");
        ((ObjectNode) elsewhere.at("/spec")).putObject("provider").putObject("anotherCloud");
        var cdi = released("tier.json");
        ((ObjectNode) cdi.at("/metadata")).put("name", "cdi");
        ((ObjectNode) cdi.at("/spec")).putObject("driver").put("mode", "cdi");

        var catalogue = Catalogues.of(
                List.of(pool(reserved), pool(elsewhere), pool(released("pool.json"))),
                List.of(tier(cdi), tier(released("tier.json"))));

        assertThat(catalogue.pools()).containsOnlyKeys("spot");
        assertThat(catalogue.tiers()).containsOnlyKeys("gpu");
        assertThat(catalogue.problems())
                .extracting(Problem::name, Problem::message)
                .containsExactly(
                        tuple(
                                "elsewhere",
                                "spec.provider: names none, expected exactly one of azureScaleSet, azureVirtualMachines, awsAutoScalingGroup, kwok"),
                        tuple("reserved", "spec.capacityType: missing, expected spot or on-demand"),
                        tuple("cdi", "spec.driver.mode: missing, expected none, libraryPath or hostPath"));
    }

    /** Every field of a status may be missing, because an earlier release or another program wrote the status. */
    @Test
    void whatWasNotWrittenYetIsNotMissed() throws IOException {
        for (var pointer : pointers(released("pool.json").path("status"), JsonPointer.compile("/status"))) {
            var earlier = pool(without("pool.json", pointer));
            assertThatCode(() -> {
                        LedgerStatus.read(earlier.getStatus());
                        Catalogues.of(List.of(earlier), List.of());
                    })
                    .as("without %s", pointer)
                    .doesNotThrowAnyException();
        }
        for (var pointer : pointers(released("tier.json").path("status"), JsonPointer.compile("/status"))) {
            var earlier = tier(without("tier.json", pointer));
            assertThat(Catalogues.of(List.of(), List.of(earlier)).tiers()).hasSize(1);
        }
        for (var pointer : List.of("/namespace", "/name", "/atMillis", "/reasons")) {
            var report = without("report.json", JsonPointer.compile(pointer));
            assertThat(JSON.treeToValue(report, UnplacedPod.class).uid())
                    .as("without %s", pointer)
                    .isEqualTo(REPORT.uid());
        }
    }

    /** A back-off is kept even if only the next release knows its kind. */
    @Test
    void aBackOffOfAnUnknownKindIsOne() throws IOException {
        var later = released("pool.json");
        ((ObjectNode) later.at("/status/backOff")).put("kind", "solar-flare");

        assertThat(LedgerStatus.read(pool(later).getStatus()).backOff())
                .hasValueSatisfying(backOff -> assertThat(backOff.until()).isEqualTo(TIME));
    }

    private static Map<String, String> marks() {
        return Map.of(
                ScalerAnnotations.SEEN_SINCE, text(MARKS.seenSince()),
                ScalerAnnotations.USABLE_SINCE, text(MARKS.usableSince()),
                ScalerAnnotations.IDLE_SINCE, text(MARKS.idleSince()),
                ScalerAnnotations.UNDER_UTILIZED_SINCE, text(MARKS.underUtilizedSince()),
                ScalerAnnotations.MISSING_SINCE, text(MARKS.missingSince()),
                Names.REMOVING, text(MARKS.removal()),
                ScalerAnnotations.EVICTIONS_REFUSED, text(MARKS.refusals()),
                ScalerAnnotations.TERMINATING, text(MARKS.terminatingSince()));
    }

    /** Returns the names of objects, annotations and labels that several components use. */
    private static Map<String, String> names() {
        var names = new TreeMap<String, String>();
        Stream.of(Names.class, ScalerAnnotations.class)
                .flatMap(type -> Stream.of(type.getFields()))
                .filter(field -> Modifier.isStatic(field.getModifiers()) && field.getType() == String.class)
                .forEach(field -> {
                    try {
                        names.put(field.getName(), String.valueOf(field.get(null)));
                    } catch (IllegalAccessException e) {
                        throw new IllegalStateException(e);
                    }
                });
        names.put("EXTENDER_LEASE", Heartbeat.NAME);
        names.put("REPORTS", UnplacedPod.PATH);
        names.put("PROVISIONING", LedgerStatus.PROVISIONING);
        names.put("UPCOMING", LedgerStatus.UPCOMING);
        names.put("READABLE", LedgerStatus.READABLE);
        return names;
    }

    private static String text(Optional<?> value) {
        return value.orElseThrow().toString();
    }

    private static Map<String, String> texts(JsonNode object) {
        var texts = new TreeMap<String, String>();
        object.properties()
                .forEach(field -> texts.put(field.getKey(), field.getValue().asText()));
        return texts;
    }

    private static TrainingPool pool(JsonNode json) {
        return KUBERNETES.unmarshal(json.toString(), TrainingPool.class);
    }

    private static TrainingTier tier(JsonNode json) {
        return KUBERNETES.unmarshal(json.toString(), TrainingTier.class);
    }

    private static JsonNode without(String file, JsonPointer pointer) throws IOException {
        var json = released(file);
        var parent = json.at(pointer.head());
        if (parent instanceof ArrayNode array) {
            array.remove(pointer.last().getMatchingIndex());
        } else {
            ((ObjectNode) parent).remove(pointer.last().getMatchingProperty());
        }
        return json;
    }

    /** Returns the pointers to the node itself and to everything in it. */
    private static List<JsonPointer> pointers(JsonNode json, JsonPointer at) {
        var pointers = new ArrayList<>(List.of(at));
        json.properties()
                .forEach(field -> pointers.addAll(pointers(field.getValue(), at.appendProperty(field.getKey()))));
        for (int index = 0; json.isArray() && index < json.size(); index++) {
            pointers.addAll(pointers(json.get(index), at.appendIndex(index)));
        }
        return pointers;
    }

    /** Returns the parts of {@code released} that are missing or different in {@code today}. */
    private static List<String> missing(String path, JsonNode released, JsonNode today) {
        if (!released.isContainerNode()) {
            return released.equals(today) ? List.of() : List.of(path + " was " + released + ", is " + today);
        }
        var missing = new ArrayList<String>();
        released.properties()
                .forEach(field -> missing.addAll(
                        missing(path + "/" + field.getKey(), field.getValue(), today.path(field.getKey()))));
        for (int index = 0; released.isArray() && index < released.size(); index++) {
            missing.addAll(missing(path + "/" + index, released.get(index), today.path(index)));
        }
        return missing;
    }

    private static JsonNode released(String file) throws IOException {
        try {
            return JSON.readTree(Files.readString(RELEASED.resolve(file)));
        } catch (JsonProcessingException e) {
            throw new AssertionError(file, e);
        }
    }
}
