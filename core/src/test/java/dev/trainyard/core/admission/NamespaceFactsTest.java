package dev.trainyard.core.admission;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NamespaceFactsTest {

    @ParameterizedTest
    @ValueSource(strings = {"baseline", "restricted", "Privileged", "typo", ""})
    void allLevelsButPrivilegedForbidHostPaths(String level) {
        assertThat(enforcing(level).levelThatForbidsHostPaths()).hasValue(level);
    }

    @Test
    void privilegedAndNoLevelAllowThem() {
        assertThat(enforcing("privileged").levelThatForbidsHostPaths()).isEmpty();
        assertThat(NamespaceFacts.NONE.levelThatForbidsHostPaths()).isEmpty();
    }

    private static NamespaceFacts enforcing(String level) {
        return new NamespaceFacts(Map.of(), Map.of("pod-security.kubernetes.io/enforce", level));
    }
}
