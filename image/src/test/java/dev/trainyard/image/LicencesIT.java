package dev.trainyard.image;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests that the licences of all libraries are allowed. Reasons for the allowed licences: {@code docs/decisions/0042}. */
@Tag("install")
class LicencesIT {

    private static final Path BILL = Path.of(System.getProperty("trainyard.root"), "cli/target/sbom.cdx.json");

    private static final Set<String> ALLOWED = Set.of(
            "Apache-2.0",
            "MIT",
            "MIT-0",
            "BSD-2-Clause",
            "BSD-3-Clause",
            "CC0-1.0",
            "EPL-2.0",
            "Bouncy Castle Licence"); // has the words of the MIT licence

    @Test
    void everyLibraryIsUnderALicenceThatIsAllowed() throws Exception {
        var components = new ObjectMapper().readTree(BILL.toFile()).get("components");

        var refused = new ArrayList<String>();
        for (var component : components) {
            if (component.path("group").asText().equals("dev.trainyard")) {
                continue; // LICENSE
            }
            // Of several licences in Maven's list, users may choose one.
            var licences = licences(component);
            if (licences.stream().noneMatch(ALLOWED::contains)) {
                refused.add("%s %s: %s"
                        .formatted(
                                component.get("name").asText(),
                                component.get("version").asText(),
                                licences));
            }
        }

        assertThat(components.size()).isGreaterThan(50);
        assertThat(refused)
                .as("libraries under licences that are not in the list; read them, then allow them here or do without")
                .isEmpty();
    }

    private static List<String> licences(JsonNode component) {
        var names = new ArrayList<String>();
        for (var choice : component.path("licenses")) {
            var licence = choice.path("license");
            names.add(choice.path("expression")
                    .asText(licence.path("id").asText(licence.path("name").asText())));
        }
        return names;
    }
}
