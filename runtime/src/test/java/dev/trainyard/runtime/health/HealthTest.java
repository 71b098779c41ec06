package dev.trainyard.runtime.health;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import org.junit.jupiter.api.Test;

class HealthTest {
    @Test
    void listsTheChecksThatFailAndWhy() {
        Health health = new Health()
                .readiness("pools", () -> Optional.of("not listed yet"))
                .readiness("tiers", Optional::empty)
                .readiness("odd", () -> {
                    throw new IllegalStateException("boom");
                });

        assertThat(health.ready())
                .isEqualTo(
                        new Health.Report(
                                false,
                                "pools: not listed yet\nodd: the check itself failed: java.lang.IllegalStateException: boom\n"));
        assertThat(health.alive()).isEqualTo(new Health.Report(true, "ok\n"));
    }

    @Test
    void aProcessThatEndsIsAliveButNotReady() {
        Health health = new Health();
        assertThat(health.ready().healthy()).isTrue();

        health.drain();

        assertThat(health.ready().text()).isEqualTo("shutdown: this process is about to end\n");
        assertThat(health.alive().healthy()).isTrue();
    }
}
