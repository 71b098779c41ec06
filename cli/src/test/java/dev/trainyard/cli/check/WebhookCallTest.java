package dev.trainyard.cli.check;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class WebhookCallTest {

    @Test
    void callsOnlyAServiceWithAnAddress() {
        assertThat(WebhookCall.isAddress("10.0.0.1")).isTrue();
        assertThat(WebhookCall.isAddress("fd00::1")).isTrue();
        assertThat(WebhookCall.isAddress("None")).as("headless").isFalse();
        assertThat(WebhookCall.isAddress("")).isFalse();
        assertThat(WebhookCall.isAddress(null)).as("ExternalName").isFalse();
    }
}
