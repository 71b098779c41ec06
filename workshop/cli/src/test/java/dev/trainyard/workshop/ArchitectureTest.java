package dev.trainyard.workshop;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.library.dependencies.SlicesRuleDefinition;

/** Tests of the dependencies between modules, by the table in CONTRIBUTING.md. */
@AnalyzeClasses(packages = "dev.trainyard", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {

    private static final String CORE = "dev.trainyard.core..";
    private static final String CERTS = "dev.trainyard.certs..";
    private static final String RUNTIME = "dev.trainyard.runtime..";
    private static final String SIMULATION = "dev.trainyard.simulation..";
    private static final String LOCAL = "dev.trainyard.local..";

    @ArchTest
    static final ArchRule coreKnowsNoOtherModule = uses(CORE);

    @ArchTest
    static final ArchRule coreDoesNoInputOrOutput = noClasses()
            .that()
            .resideInAPackage(CORE)
            // SizeTable reads a table from its own jar.
            .and()
            .doNotHaveFullyQualifiedName("dev.trainyard.core.machine.SizeTable")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(
                    "io.fabric8.kubernetes.client..",
                    "io.vertx..",
                    "java.net..",
                    "java.nio.file..",
                    "java.io..",
                    "org.slf4j..");

    @ArchTest
    static final ArchRule coreReadsNoClock = noClasses()
            .that()
            .resideInAPackage(CORE)
            .should()
            .callMethod(java.time.Instant.class, "now")
            .orShould()
            .callMethod(System.class, "currentTimeMillis")
            .orShould()
            .dependOnClassesThat()
            .areAssignableTo(java.time.Clock.class);

    @ArchTest
    static final ArchRule certsKnowsNoOtherModule = uses(CERTS);

    @ArchTest
    static final ArchRule runtimeKnowsOnlyCoreAndCerts = uses(RUNTIME, CORE, CERTS);

    @ArchTest
    static final ArchRule webhookStandsAlone = uses("dev.trainyard.webhook..", RUNTIME, CORE, CERTS);

    @ArchTest
    static final ArchRule extenderStandsAlone = uses("dev.trainyard.extender..", RUNTIME, CORE, CERTS);

    @ArchTest
    static final ArchRule scalerStandsAlone = uses("dev.trainyard.scaler..", RUNTIME, CORE, CERTS);

    @ArchTest
    static final ArchRule awsKnowsOnlyTheProviderInterface =
            uses("dev.trainyard.cloud.aws..", "dev.trainyard.scaler.provider..", CORE, CERTS);

    @ArchTest
    static final ArchRule azureKnowsOnlyTheProviderInterface =
            uses("dev.trainyard.cloud.azure..", "dev.trainyard.scaler.provider..", CORE, CERTS);

    @ArchTest
    static final ArchRule sdksStayInTheirClouds = noClasses()
            .that(not(resideInAPackage("dev.trainyard.cloud..")))
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("software.amazon..", "com.azure..", "com.microsoft..");

    @ArchTest
    static final ArchRule commandsOfTheProductKnowNothingOfTheWorkshop = noClasses()
            .that()
            .resideInAPackage("dev.trainyard.cli..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(
                    LOCAL,
                    "dev.trainyard.emulator..",
                    "dev.trainyard.bench..",
                    "dev.trainyard.chaos..",
                    "dev.trainyard.workshop..");

    @ArchTest
    static final ArchRule simulationRunsTheComponents = uses(
            SIMULATION,
            RUNTIME,
            CORE,
            CERTS,
            "dev.trainyard.webhook..",
            "dev.trainyard.extender..",
            "dev.trainyard.scaler..");

    @ArchTest
    static final ArchRule chaosRunsSimulations =
            uses("dev.trainyard.chaos..", SIMULATION, "dev.trainyard.scaler..", RUNTIME, CORE);

    @ArchTest
    static final ArchRule emulatorKnowsOnlyCerts = uses("dev.trainyard.emulator..", CERTS);

    @ArchTest
    static final ArchRule localKnowsOnlyCerts = uses(LOCAL, CERTS);

    @ArchTest
    static final ArchRule benchKnowsWhatItMeasuresInItsOwnProcess = uses(
            "dev.trainyard.bench..",
            RUNTIME,
            CORE,
            CERTS,
            LOCAL,
            SIMULATION,
            "dev.trainyard.extender..",
            "dev.trainyard.scaler..");

    @ArchTest
    static final ArchRule vertxStaysInServers = noClasses()
            .that()
            .resideInAnyPackage("dev.trainyard.core..", "dev.trainyard.certs..", "dev.trainyard.local..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("io.vertx..");

    @ArchTest
    static final ArchRule packagesHaveNoCycles = SlicesRuleDefinition.slices()
            .matching("dev.trainyard.(*).(**)")
            .should()
            .beFreeOfCycles();

    @ArchTest
    static final ArchRule onlyCommandsPrint = noClasses()
            .that(not(resideInAnyPackage("dev.trainyard.cli..", "dev.trainyard.workshop..", LOCAL)))
            .should()
            .accessField(System.class, "out")
            .orShould()
            .accessField(System.class, "err");

    /** Returns the rule that packages of {@code module} use only themselves and {@code others} among Trainyard's packages. */
    private static ArchRule uses(String module, String... others) {
        return classes()
                .that(resideInAPackage(module))
                .should()
                .onlyDependOnClassesThat(not(resideInAPackage("dev.trainyard.."))
                        .or(resideInAPackage(module))
                        .or(resideInAnyPackage(others)));
    }
}
