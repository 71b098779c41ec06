package dev.trainyard.webhook.fuzz;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.trainyard.runtime.configuration.ResourceFiles;
import dev.trainyard.webhook.decision.RandomCluster;
import dev.trainyard.webhook.decision.Samples;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** The AdmissionReviews that are mutated: reviews in the API server's form, of all golden pods and of random ones. */
final class FuzzReviews {

    private static final List<String> TIERS = List.of("light-gpu", "heavy-gpu", "any-gpu", "many-libraries", "cpu");

    private final List<ObjectNode> golden = new ArrayList<>();

    FuzzReviews() throws IOException {
        try (var directories = Files.list(Samples.GOLDEN)) {
            for (var directory : directories.filter(Files::isDirectory).sorted().toList()) {
                for (var document :
                        ResourceFiles.read(directory.resolve("before.yaml")).documents()) {
                    if (document.object().path("kind").asText().equals("Pod")) {
                        golden.add((ObjectNode) document.object());
                    }
                }
            }
        }
    }

    ObjectNode any(Random random) {
        if (random.nextInt(3) == 0) {
            return of(golden.get(random.nextInt(golden.size())).deepCopy());
        }
        var pod = new RandomCluster(random).pod();
        if (pod.at("/metadata/annotations").has("trainyard.dev/tier") || random.nextInt(4) == 0) {
            pod.withObject("/metadata/annotations").put("trainyard.dev/tier", TIERS.get(random.nextInt(TIERS.size())));
        }
        return of(pod);
    }

    static ObjectNode of(ObjectNode pod) {
        var review = JsonNodeFactory.instance
                .objectNode()
                .put("kind", "AdmissionReview")
                .put("apiVersion", "admission.k8s.io/v1");
        var request = review.putObject("request").put("uid", "705ab4f5-6393-11e8-b7cc-42010a800002");
        request.putObject("kind").put("group", "").put("version", "v1").put("kind", "Pod");
        request.putObject("resource").put("group", "").put("version", "v1").put("resource", "pods");
        request.put("namespace", "default").put("operation", "CREATE").put("dryRun", false);
        request.putObject("userInfo")
                .put("username", "admin")
                .putArray("groups")
                .add("system:authenticated");
        request.set("object", pod);
        request.putNull("oldObject");
        return review;
    }
}
