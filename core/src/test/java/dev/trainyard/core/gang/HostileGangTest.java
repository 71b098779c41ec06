package dev.trainyard.core.gang;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.trainyard.core.Names;
import dev.trainyard.core.gang.GangClaim.Malformed;
import dev.trainyard.core.gang.GangClaim.OfObject;
import dev.trainyard.core.gang.GangClaim.Stated;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An attacker who may create pods and the objects that describe gangs: nothing but a message results, and the message is short. */
class HostileGangTest {

    private static final String HUGE = "9".repeat(256 * 1024);

    private static final List<String> VALUES = List.of(
            "",
            " ",
            "-1",
            "0",
            "2147483648",
            HUGE,
            "../../secrets/token",
            "a?limit=1",
            "A",
            "a\n\u2028\u001b[2Jb",
            "\ud800",
            "\u0000");

    private static final List<JsonNode> FIELDS = List.of(
            JsonNodeFactory.instance.numberNode(-1),
            JsonNodeFactory.instance.numberNode(0),
            JsonNodeFactory.instance.numberNode(1_000_000),
            JsonNodeFactory.instance.numberNode(Long.MAX_VALUE),
            JsonNodeFactory.instance.numberNode(0.5),
            JsonNodeFactory.instance.textNode(HUGE),
            JsonNodeFactory.instance.textNode("a\n\u2028\u001b[2Jb"),
            JsonNodeFactory.instance.nullNode(),
            JsonNodeFactory.instance.booleanNode(true),
            JsonNodeFactory.instance.arrayNode().add(1).addNull(),
            JsonNodeFactory.instance.objectNode().put("a/b~", 1));

    /** Each label, annotation and owner of each recorded pod, with each of the values. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "jobset.yaml",
                "trainjob.yaml",
                "training-operator.yaml",
                "mpi-operator.yaml",
                "leaderworkerset.yaml",
                "kueue.yaml",
                "podgroup.yaml",
                "kuberay.yaml"
            })
    void aPodHasAReadableClaimWhateverItStates(String file) {
        var fixture = GangFixture.read(file);
        for (var pod : fixture.pods()) {
            for (var hostile : variants(pod)) {
                GangClaim.of(hostile).ifPresent(HostileGangTest::assertReadable);
            }
        }
    }

    /** Each field of each recorded object, with each of the values. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "jobset.yaml",
                "trainjob.yaml",
                "training-operator.yaml",
                "mpi-operator.yaml",
                "leaderworkerset.yaml",
                "podgroup.yaml",
                "kuberay.yaml"
            })
    void anObjectIsReadOrItsInvalidFieldIsNamed(String file) {
        var fixture = GangFixture.read(file);
        for (var pod : fixture.pods()) {
            GangClaim.of(pod).ifPresent(claim -> {
                var ofObject = (OfObject) claim;
                var object = fixture.objectOf(ofObject);
                for (var value : FIELDS) {
                    assertRead(ofObject, value);
                    for (var hostile : withEachField(object, value)) {
                        assertRead(ofObject, hostile);
                    }
                }
            });
        }
    }

    @Test
    void aLongNameIsShortened() {
        var claim = GangClaim.of(annotated(HUGE, "2")).orElseThrow();

        assertThat(claim).isInstanceOf(Malformed.class);
        assertThat(((Malformed) claim).problem())
                .contains("is longer than 253 characters")
                .hasSizeLessThan(300);
        assertThat(GangClaim.of(annotated("g".repeat(253), "2")).orElseThrow()).isNotInstanceOf(Malformed.class);
    }

    @Test
    void aNameEndsNoLineOfALog() {
        assertThat(GangClaim.of(annotated("a\n\u2028\u001b[2Jb", "2"))
                        .orElseThrow()
                        .name())
                .isEqualTo("team/a???[2Jb");
    }

    @ParameterizedTest
    @ValueSource(strings = {"jobset.sigs.k8s.io/jobset-name", "scheduling.x-k8s.io/pod-group"})
    void aNameThatNoObjectHasIsNotLookedUp(String label) {
        var pod = new PodBuilder()
                .withNewMetadata()
                .addToLabels(label, "../../../secrets/token")
                .endMetadata()
                .build();

        assertThat(GangClaim.of(pod).map(claim -> ((Malformed) claim).problem()).orElseThrow())
                .startsWith(label + " is '../../../secrets/token'; expected the name of a ");
    }

    private static Pod annotated(String name, String size) {
        return new PodBuilder()
                .withNewMetadata()
                .withNamespace("team")
                .addToAnnotations(Names.GANG, name)
                .addToAnnotations(Names.GANG_SIZE, size)
                .endMetadata()
                .build();
    }

    private static List<Pod> variants(Pod pod) {
        var variants = new ArrayList<Pod>();
        var metadata = pod.getMetadata();
        for (var value : VALUES) {
            for (var key : keys(metadata.getLabels())) {
                variants.add(new PodBuilder(pod)
                        .editMetadata()
                        .addToLabels(key, value)
                        .endMetadata()
                        .build());
            }
            for (var key : keys(metadata.getAnnotations())) {
                variants.add(new PodBuilder(pod)
                        .editMetadata()
                        .addToAnnotations(key, value)
                        .endMetadata()
                        .build());
            }
            for (int i = 0; i < metadata.getOwnerReferences().size(); i++) {
                for (var change : List.of("name", "kind", "group", "uid")) {
                    var changed = new PodBuilder(pod).build();
                    var owner = changed.getMetadata().getOwnerReferences().get(i);
                    switch (change) {
                        case "name" -> owner.setName(value);
                        case "kind" -> owner.setKind(value);
                        case "group" -> owner.setApiVersion(value);
                        default -> owner.setUid(value);
                    }
                    variants.add(changed);
                }
            }
        }
        for (var key : keys(metadata.getLabels())) {
            variants.add(new PodBuilder(pod)
                    .editMetadata()
                    .removeFromLabels(key)
                    .endMetadata()
                    .build());
        }
        var noOwner = new PodBuilder(pod).build();
        noOwner.getMetadata().setOwnerReferences(Collections.singletonList(null));
        variants.add(noOwner);
        return variants;
    }

    private static List<String> keys(@Nullable Map<String, String> map) {
        return map == null ? List.of() : List.copyOf(new TreeMap<>(map).keySet());
    }

    private static void assertReadable(GangClaim claim) {
        assertThat(claim.name()).hasSizeLessThan(400).doesNotContain("\n", "\u001b", "\u2028");
        if (claim instanceof Malformed malformed) {
            assertThat(malformed.problem())
                    .contains("expected")
                    .hasSizeLessThan(400)
                    .doesNotContain("\n", "\u001b", "\u2028");
        }
        if (claim instanceof Stated stated) {
            assertReadable(stated.gang());
        }
        if (claim instanceof OfObject ofObject) {
            assertThat(ofObject.object().name()).matches("[a-z0-9.-]{1,253}");
            ofObject.otherwise().ifPresent(HostileGangTest::assertReadable);
        }
    }

    private static void assertReadable(Gang gang) {
        assertThat(gang.name() + gang.source()).hasSizeLessThan(400).doesNotContain("\n", "\u001b", "\u2028");
        assertThat(gang.size()).isBetween(1, Gang.LARGEST);
    }

    private static void assertRead(OfObject claim, JsonNode object) {
        try {
            claim.reading().apply(object).ifPresent(HostileGangTest::assertReadable);
        } catch (IllegalArgumentException e) {
            assertThat(e.getMessage()).contains("spec.").hasSizeLessThan(400).doesNotContain("\n", "\u001b", "\u2028");
        }
    }

    /** Returns the object with each of its fields in turn set to the value. */
    private static List<ObjectNode> withEachField(ObjectNode object, JsonNode value) {
        var variants = new ArrayList<ObjectNode>();
        for (var path : paths("", object)) {
            int last = path.lastIndexOf('/');
            var changed = object.deepCopy();
            var parent = changed.at(path.substring(0, last));
            if (parent instanceof ObjectNode fields) {
                fields.set(path.substring(last + 1).replace("~1", "/").replace("~0", "~"), value);
                variants.add(changed);
            }
        }
        return variants;
    }

    private static List<String> paths(String path, JsonNode node) {
        var paths = new ArrayList<String>();
        node.properties().forEach(field -> {
            var below = path + "/" + field.getKey().replace("~", "~0").replace("/", "~1");
            paths.add(below);
            paths.addAll(paths(below, field.getValue()));
        });
        for (int i = 0; node.isArray() && i < node.size(); i++) {
            paths.addAll(paths(path + "/" + i, node.get(i)));
        }
        return paths;
    }
}
