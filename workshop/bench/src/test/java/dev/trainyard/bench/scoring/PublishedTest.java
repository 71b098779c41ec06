package dev.trainyard.bench.scoring;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PublishedTest {

    @Test
    void knowsTracesByTheNameOfTheirFile() {
        assertThat(Published.fgd("openb_pod_list_default")).hasValue(95.39);
        assertThat(Published.fgd("multigpu50")).hasValue(97.18);
        assertThat(Published.fgd("openb_pod_list_default_2")).isEmpty();
        assertThat(Published.wholeGpus("openb_pod_list_default")).hasValue(99.8);
        assertThat(Published.wholeGpus("openb_pod_list_cpu100")).isEmpty();
    }
}
