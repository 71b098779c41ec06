package dev.trainyard.extender.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class VersionStoreTest {

    private final VersionStore<Pod> store = new VersionStore<>(Pod::new);

    @Test
    void returnsNameAndVersionOfTheObjectThatWasReplaced() {
        assertThat(put(pod("a", "p", "1"))).isNull();

        assertThat(put(pod("a", "p", "2"))).isEqualTo(pod("a", "p", "1"));
        assertThat(put(pod("b", "p", "3"))).isNull();
        assertThat(store.get("a/p")).isEqualTo(pod("a", "p", "2"));
        assertThat(store.values()).containsExactlyInAnyOrder(pod("a", "p", "2"), pod("b", "p", "3"));
        assertThat(store.keySet()).containsExactlyInAnyOrder("a/p", "b/p");
    }

    @Test
    void keepsObjectsWithoutNamespaceOrVersion() {
        put(pod(null, "n", null));

        assertThat(store.remove("n"))
                .extracting(Pod::getMetadata)
                .matches(metadata ->
                        metadata.getNamespace() == null && metadata.getName().equals("n"));
        assertThat(store.remove("n")).isNull();
        assertThat(store.size()).isZero();
    }

    private @Nullable Pod put(Pod pod) {
        var full = new PodBuilder(pod).withNewSpec().withNodeName("n").endSpec().build();
        return store.put(store.getKey(full), full);
    }

    private static Pod pod(@Nullable String namespace, String name, @Nullable String version) {
        return new PodBuilder()
                .withNewMetadata()
                .withNamespace(namespace)
                .withName(name)
                .withResourceVersion(version)
                .endMetadata()
                .build();
    }
}
