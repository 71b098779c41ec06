package dev.trainyard.scaler.offline;

import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.core.gang.GangObject;
import dev.trainyard.core.gang.GangObjects.Found;
import dev.trainyard.core.gang.GangObjects.Reading;
import dev.trainyard.core.gang.GangObjects.Unreadable;
import dev.trainyard.runtime.configuration.ResourceFiles;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class OfflineGangObjectsTest {

    private static final String FILES = """
            apiVersion: jobset.x-k8s.io/v1alpha2
            kind: JobSet
            metadata: {name: train, namespace: team}
            spec: {replicatedJobs: [{name: workers, replicas: 3}]}
            status: {restarts: 1}
            ---
            apiVersion: scheduling.volcano.sh/v1beta1
            kind: PodGroup
            metadata: {name: group}
            spec: {minMember: 4}
            ---
            apiVersion: batch/v1
            kind: Job
            metadata: {name: job, namespace: team}
            spec: {parallelism: 5, template: {spec: {containers: [{name: main}]}}}
            """;

    @Test
    void findsObjectsOfTheFiles() {
        assertThat(spec(find("jobset.x-k8s.io", "JobSet", "team", "train")))
                .isEqualTo("{\"replicatedJobs\":[{\"name\":\"workers\",\"replicas\":3}]}");
        assertThat(spec(find("scheduling.volcano.sh", "PodGroup", "default", "group")))
                .isEqualTo("{\"minMember\":4}");
        assertThat(spec(find("batch", "Job", "team", "job"))).contains("\"parallelism\":5");
    }

    @Test
    void otherObjectsAreUnreadable() {
        assertThat(find("jobset.x-k8s.io", "JobSet", "other", "train"))
                .isEqualTo(new Unreadable("JobSet other/train is not among the files"));
        assertThat(find("scheduling.x-k8s.io", "PodGroup", "default", "group")).isInstanceOf(Unreadable.class);
    }

    @Test
    void saysThatNoPodsAreAddedForObjectsOfOperators() {
        var files = files();
        var remarks = new PlanRemarks(files);
        Defaults.of(files, remarks);

        assertThat(remarks.notes())
                .containsExactly(
                        "no pods are added for: 1 of kind JobSet", "no pods are added for: 1 of kind PodGroup");
    }

    private static Reading find(String group, String kind, String namespace, String name) {
        var files = files();
        return OfflineGangObjects.of(Defaults.of(files, new PlanRemarks(files)))
                .find(new GangObject(group, kind, namespace, name, Optional.empty()));
    }

    private static ResourceFiles files() {
        var stream = new ByteArrayInputStream(FILES.getBytes(StandardCharsets.UTF_8));
        return ResourceFiles.readAll("files", stream, Offline.needed());
    }

    private static String spec(Reading reading) {
        assertThat(reading)
                .isInstanceOfSatisfying(
                        Found.class,
                        found -> assertThat(found.object().has("status")).isFalse());
        return ((Found) reading).object().path("spec").toString();
    }
}
