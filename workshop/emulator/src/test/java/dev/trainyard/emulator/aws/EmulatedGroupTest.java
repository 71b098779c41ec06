package dev.trainyard.emulator.aws;

import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.emulator.EmulatedMachine;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests of the timing of groups, which the demo and other tests rely on. Tests with AWS's SDK cover the protocol. */
class EmulatedGroupTest {

    private static final Instant NOON = Instant.parse("2026-01-01T12:00:00Z");

    private Instant now = NOON;
    private final AwsEmulator aws = AwsEmulator.start(
            new Clock() {
                @Override
                public Instant instant() {
                    return now;
                }

                @Override
                public ZoneId getZone() {
                    return ZoneOffset.UTC;
                }

                @Override
                public Clock withZone(ZoneId zone) {
                    return this;
                }
            },
            new AwsPace(seconds(2), seconds(30), seconds(10), seconds(5)));
    private final EmulatedGroup group = aws.group("g");

    @AfterEach
    void close() {
        aws.close();
    }

    @Test
    void anOrderIsFilledInItsTime() {
        group.resize(2);
        pass(11);
        assertThat(aws.machines()).isEmpty();
        assertThat(group.instances()).hasSize(2).allMatch(EmulatedInstance::isPending);
        pass(1);
        assertThat(aws.machines())
                .hasSize(2)
                .allMatch(machine -> machine.group().equals("g")
                        && machine.providerId().startsWith("aws:///eu-west-1a/i-")
                        && machine.launched().equals(NOON.plusSeconds(2)));
        assertThat(aws.machines()).extracting(EmulatedMachine::name).doesNotHaveDuplicates();
    }

    @Test
    void whatIsNotToBeHadFailsOnceForEachAttempt() {
        group.stock(0).resize(1);
        pass(70);
        assertThat(group.activities())
                .extracting(EmulatedActivity::status, EmulatedActivity::at)
                .containsExactly(
                        org.assertj.core.groups.Tuple.tuple("Failed", NOON.plusSeconds(62)),
                        org.assertj.core.groups.Tuple.tuple("Failed", NOON.plusSeconds(32)),
                        org.assertj.core.groups.Tuple.tuple("Failed", NOON.plusSeconds(2)));
        aws.stock("g", 1);
        pass(32);
        assertThat(aws.machines()).hasSize(1);
    }

    @Test
    void aMachineThatEndsIsThereForAWhile() {
        group.resize(1);
        pass(12);
        group.resize(0);
        pass(4);
        assertThat(aws.machines()).hasSize(1);
        pass(1);
        assertThat(aws.machines()).isEmpty();
    }

    @Test
    void aMachineThatIsLostIsReplaced() {
        group.resize(1);
        pass(100);
        group.instances().clear();
        pass(0);
        assertThat(group.instances()).extracting(EmulatedInstance::launched).containsExactly(now);
    }

    private void pass(long seconds) {
        now = now.plusSeconds(seconds);
        aws.machines();
    }

    private static Duration seconds(int seconds) {
        return Duration.ofSeconds(seconds);
    }
}
