package dev.trainyard.core.gang;

import com.fasterxml.jackson.databind.JsonNode;
import dev.trainyard.core.admission.UserText;
import dev.trainyard.core.gang.GangClaim.OfObject;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The gang of a job of Kubeflow's training operator (TFJob, PyTorchJob, MPIJob, JAXJob, PaddleJob, XGBoostJob) or of the MPI operator. An
 * MPIJob that creates its launcher after the workers are ready has two gangs.
 *
 * <p>The MPI operator's launcher is a pod of a Job of the MPIJob. The pod knows the MPIJob by a label with its name, and not by its UID.
 */
final class KubeflowGang {

    private static final String API = "kubeflow.org";
    private static final String PREFIX = "training.kubeflow.org/";
    private static final String NAME = PREFIX + "job-name";
    private static final String MPI_JOB = "MPIJob";
    private static final Set<String> KINDS =
            Set.of("TFJob", "PyTorchJob", MPI_JOB, "JAXJob", "PaddleJob", "XGBoostJob");
    private static final String LAUNCHER = "launcher";

    private KubeflowGang() {}

    static Optional<GangClaim> of(Pod pod) {
        var labels = pod.getMetadata().getLabels();
        var name = labels == null ? null : labels.get(NAME);
        if (name == null) {
            return Optional.empty();
        }
        boolean launches = launches(labels);
        if ("mpi-operator".equals(labels.get(PREFIX + "operator-name"))) {
            return Optional.of(GangObject.named(API, MPI_JOB, pod, NAME, name, job -> claim(job, launches)));
        }
        return GangObject.controllerOf(pod, API)
                .filter(owner -> KINDS.contains(owner.getKind()))
                .map(owner -> claim(GangObject.of(owner, pod), launches));
    }

    /** The MPI operator names the role, the training operator the type of replica. */
    private static boolean launches(Map<String, String> labels) {
        return LAUNCHER.equals(labels.get(PREFIX + "job-role")) || LAUNCHER.equals(labels.get(PREFIX + "replica-type"));
    }

    private static GangClaim claim(GangObject job, boolean launches) {
        return new OfObject(job.key(), job, object -> read(object, job, launches), Optional.empty());
    }

    private static Optional<Gang> read(JsonNode object, GangObject job, boolean launches) {
        // The MPI operator's launcher does not know the UID.
        var key = job.withUid(object.at("/metadata/uid").asText()).key();
        long pods = 0;
        long launchers = 0;
        var field = "spec.*ReplicaSpecs";
        for (var spec : object.path("spec").properties()) {
            if (spec.getKey().endsWith("ReplicaSpecs")) {
                field = "spec." + UserText.shown(spec.getKey());
                for (var role : spec.getValue().properties()) {
                    var part = "%s.%s.".formatted(field, UserText.shown(role.getKey()));
                    boolean isLauncher = role.getKey().toLowerCase(Locale.ROOT).equals(LAUNCHER);
                    // Both operators create no worker of an MPIJob that does not state a number.
                    int absent = job.kind().equals(MPI_JOB) && !isLauncher ? 0 : 1;
                    int replicas = Replicas.at(role.getValue(), part, "/replicas", absent);
                    pods += replicas;
                    launchers += isLauncher ? replicas : 0;
                }
            }
        }
        var source = "%s of %s".formatted(field, job);
        if (object.at("/spec/launcherCreationPolicy").asText().equals("WaitForWorkersReady")) {
            return Optional.of(
                    launches
                            ? Gang.found(key + " launcher", job + ", launcher", Replicas.size(field, launchers), source)
                            : Gang.found(key, job + ", workers", Replicas.size(field, pods - launchers), source));
        }
        int all = Replicas.size(field, pods);
        int least = Replicas.at(object, "/spec/runPolicy/schedulingPolicy/minAvailable", all);
        return Optional.of(Gang.found(key, job.toString(), Math.max(1, Math.min(least, all)), source))
                .filter(gang -> gang.size() > 1);
    }
}
