package dev.trainyard.core.gang;

import com.fasterxml.jackson.databind.JsonNode;
import dev.trainyard.core.admission.UserText;
import dev.trainyard.core.gang.GangClaim.OfObject;
import dev.trainyard.core.gang.GangClaim.Stated;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.ArrayList;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * The gang of a JobSet, or of a TrainJob, which creates a JobSet. A JobSet that starts its replicated jobs one after the other has a gang for
 * all replicated jobs that start together: later pods exist only after earlier ones run. The same holds for exclusive placement, where
 * JobSet's webhook accepts the followers of a Job only after the Job's leader has a node.
 *
 * <p>Without the JobSet, only the number of Jobs of the pod's replicated job is known, from a label. Each Job has at least one pod, and these
 * Jobs start together in any case.
 */
final class JobSetGang {

    private static final String PREFIX = "jobset.sigs.k8s.io/";
    private static final String NAME = PREFIX + "jobset-name";
    private static final String REPLICATED_JOB = PREFIX + "replicatedjob-name";
    private static final String REPLICAS = PREFIX + "replicatedjob-replicas";
    private static final String EXCLUSIVE = "alpha.jobset.sigs.k8s.io/exclusive-topology";

    /** With this annotation, JobSet does not use leaders for exclusive placement, but labels that an administrator wrote on nodes. */
    private static final String NODE_SELECTOR = "alpha.jobset.sigs.k8s.io/node-selector";

    private static final String COMPLETION_INDEX = "batch.kubernetes.io/job-completion-index";
    private static final String JOBS = "spec.replicatedJobs";

    private JobSetGang() {}

    static Optional<GangClaim> of(Pod pod) {
        var labels = pod.getMetadata().getLabels();
        var name = labels == null ? null : labels.get(NAME);
        return name == null
                ? Optional.empty()
                : Optional.of(GangObject.named(
                        "jobset.x-k8s.io",
                        "JobSet",
                        pod,
                        NAME,
                        name,
                        jobSet -> claim(pod, labels, jobSet.withUid(labels.get(PREFIX + "jobset-uid")))));
    }

    private static GangClaim claim(Pod pod, Map<String, String> labels, GangObject jobSet) {
        var group = jobSet.key();
        var job = String.valueOf(labels.get(REPLICATED_JOB));
        boolean follows = follows(pod);
        return new OfObject(
                group,
                jobSet,
                object -> Optional.of(read(object, jobSet, group, job, follows)),
                follows ? Optional.empty() : otherwise(labels, jobSet, group, job));
    }

    /** Whether the pod exists only after the first pod of its Job has a node. */
    private static boolean follows(Pod pod) {
        var annotations = pod.getMetadata().getAnnotations();
        return annotations != null
                && annotations.containsKey(EXCLUSIVE)
                && !annotations.containsKey(NODE_SELECTOR)
                && !"0".equals(annotations.get(COMPLETION_INDEX));
    }

    private static Optional<GangClaim> otherwise(
            Map<String, String> labels, GangObject jobSet, String group, String job) {
        return Optional.ofNullable(labels.get(REPLICAS))
                .flatMap(Replicas::stated)
                .map(jobs -> new Stated(Gang.found(
                        group + " " + job,
                        "%s, %s".formatted(jobSet, UserText.shown(job)),
                        jobs,
                        "label " + REPLICAS)));
    }

    private static Gang read(JsonNode object, GangObject jobSet, String group, String job, boolean follows) {
        var replicatedJobs = object.at("/spec/replicatedJobs");
        var start = start(object, named(replicatedJobs, job));
        boolean exclusive = false;
        long size = 0;
        var names = new ArrayList<String>();
        for (var replicated : replicatedJobs) {
            if (start(object, replicated).equals(start)) {
                names.add(replicated.path("name").asText());
                boolean leads = isExclusive(object, replicated);
                exclusive |= leads;
                var part = "%s[%s].".formatted(JOBS, UserText.shown(names.get(names.size() - 1)));
                int replicas = Replicas.at(replicated, part, "/replicas", 1);
                int parallelism = Replicas.at(replicated, part, "/template/spec/parallelism", 1);
                int completions = Replicas.at(replicated, part, "/template/spec/completions", parallelism);
                size += (long) replicas * pods(Math.min(parallelism, completions), leads, follows);
            }
        }
        var name = jobSet
                + (names.size() < replicatedJobs.size() ? ", " + UserText.shown(String.join(" and ", names)) : "")
                + (follows ? ", followers" : exclusive ? ", leaders" : "");
        return Gang.found(
                "%s %s%s".formatted(group, names.get(0), follows ? " followers" : ""),
                name,
                Replicas.size(JOBS, size),
                JOBS + " of " + jobSet);
    }

    private static JsonNode named(JsonNode replicatedJobs, String name) {
        for (var replicated : replicatedJobs) {
            if (replicated.path("name").asText().equals(name)) {
                return replicated;
            }
        }
        throw new IllegalArgumentException(
                "%s has no '%s', which the pod's label %s names".formatted(JOBS, UserText.shown(name), REPLICATED_JOB));
    }

    /** Returns what must have happened before JobSet creates the Jobs of a replicated job. Equal results mean that they start together. */
    private static Set<String> start(JsonNode object, JsonNode replicated) {
        if (object.at("/spec/startupPolicy/startupPolicyOrder").asText().equals("InOrder")) {
            return Set.of(replicated.path("name").asText());
        }
        var dependencies = new TreeSet<String>();
        for (var dependency : replicated.path("dependsOn")) {
            dependencies.add(dependency.path("name").asText() + " "
                    + dependency.path("status").asText());
        }
        return dependencies;
    }

    /** Whether the followers of the replicated job's Jobs wait for their leaders. Each of these annotations ends up on the pods. */
    private static boolean isExclusive(JsonNode object, JsonNode replicated) {
        var template = replicated.path("template");
        var annotations = Set.of(object, template, template.path("spec").path("template")).stream()
                .map(part -> part.path("metadata").path("annotations"))
                .collect(Collectors.toSet());
        return annotations.stream().anyMatch(part -> part.has(EXCLUSIVE))
                && annotations.stream().noneMatch(part -> part.has(NODE_SELECTOR));
    }

    /** Returns how many of a Job's pods are in the gang of the leaders and of the Jobs without leaders, or in the gang of the followers. */
    private static int pods(int ofJob, boolean leads, boolean follows) {
        if (follows) {
            return leads ? Math.max(0, ofJob - 1) : 0;
        }
        return leads ? Math.min(1, ofJob) : ofJob;
    }
}
