package dev.trainyard.core.gang;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.trainyard.core.gang.GangClaim.OfObject;
import dev.trainyard.core.gang.GangFixture.Members;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PodGroupGangTest {

    private final GangFixture groups = GangFixture.read("podgroup.yaml");

    @ParameterizedTest
    @CsvSource({
        "native, 'native: 2, by spec.schedulingPolicy.gang.minCount', 2",
        "older, 'older: 3, by spec.schedulingPolicy.gang.minCount', 1",
        "plugins, 'native: 4, by spec.minMember', 2",
        "volcano, 'native: 5, by spec.minMember', 2"
    })
    void theLeastNumberOfPodsIsTheSizeOfTheGang(String pods, String gang, int members) {
        assertThat(groups.gangs(pods))
                .singleElement()
                .satisfies(found -> assertThat(found.of()).startsWith("PodGroup team/" + gang))
                .extracting(Members::pods)
                .isEqualTo(members);
    }

    @Test
    void groupsOfEqualNameInOtherApisAreOtherGangs() {
        assertThat(groups.gangs("")).hasSize(4);
    }

    @ParameterizedTest
    @CsvSource({"basic", "automatic"})
    void aGroupThatMayRunInPartsIsNoGang(String pods) {
        assertThat(groups.groups(pods)).hasSize(1);
        assertThat(groups.gangs(pods)).isEmpty();
    }

    @Test
    void anInvalidNumberIsNamed() {
        var claim = (OfObject) GangClaim.of(groups.first("native")).orElseThrow();

        assertThatThrownBy(() ->
                        claim.reading().apply(GangFixture.object("{spec: {schedulingPolicy: {gang: {minCount: -1}}}}")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("spec.schedulingPolicy.gang.minCount is -1");
    }
}
