package dev.trainyard.bench.planner;

import dev.trainyard.bench.measure.Goal;
import java.util.Locale;
import java.util.stream.Collectors;

/** A formatter of a {@link PlannerReport} as text with at most 100 columns. */
public final class PlannerReportText {

    private static final double MEGA = 1e-6;
    private static final int NAMED = 3;

    private PlannerReportText() {}

    public static String of(PlannerReport report) {
        var text = new StringBuilder();
        line(text, "%s. Seed %d.%s", report.machine(), report.seed(), report.quick() ? " Quick: no measurement." : "");
        if (!report.cases().isEmpty()) {
            line(text, "");
            line(text, "Milliseconds for one plan. floor: only counting equal pods in this run. x floor: time/floor.");
            line(
                    text,
                    "%-8s %9s %9s %9s %9s %9s %9s %9s",
                    "case",
                    "cold",
                    "median",
                    "p95",
                    "CPU",
                    "floor",
                    "x floor",
                    "MB");
            report.cases()
                    .forEach(each -> line(
                            text,
                            "%-8s %9.1f %9.2f %9.2f %9.2f %9.2f %9.1f %9.1f",
                            each.name(),
                            each.cold(),
                            each.median(),
                            each.p95(),
                            each.cpu(),
                            each.floor(),
                            each.toFloor(),
                            each.allocated() * MEGA));
            line(text, "");
            line(
                    text,
                    "%-8s %9s %9s %11s %11s %9s  %s",
                    "case",
                    "pods",
                    "machines",
                    "cost/hour",
                    "lower bound",
                    "over",
                    "check of each pod");
            report.cases().forEach(each -> line(text, "%s", bought(each)));
        }
        report.gangs()
                .forEach(gangs -> line(
                        text,
                        "%n%,d pods in %,d gangs: %.1f ms, without gangs %.1f ms, ratio %.2f; %s",
                        gangs.pods(),
                        gangs.gangs(),
                        gangs.millis(),
                        gangs.without(),
                        gangs.ratio(),
                        gangs.faults().isEmpty()
                                ? "the check of each pod holds"
                                : gangs.faults().size() + " faults"));
        report.growth().forEach(growth -> {
            line(text, "");
            line(text, "Growth, %s: time grows as (number of pods) ^ %.2f", growth.what(), growth.exponent());
            line(
                    text,
                    "%s",
                    growth.points().stream()
                            .map(point -> String.format(Locale.ROOT, "%,d: %.1f ms", point.pods(), point.millis()))
                            .collect(Collectors.joining("   ")));
        });
        line(text, "");
        line(text, "%s", Goal.HEAD);
        report.targets().forEach(target -> line(text, "%s", target.line()));
        return text.toString();
    }

    private static String bought(PlannerReport.Case each) {
        return String.format(
                Locale.ROOT,
                "%-8s %9d %9d %11.2f %11.2f %8.2f%%  %s",
                each.name(),
                each.pods(),
                each.machines(),
                each.cost(),
                each.bound(),
                100 * each.overBound(),
                each.faults().isEmpty()
                        ? "holds, %d without a place".formatted(each.unplaced())
                        : each.faults().size() + " faults: "
                                + each.faults().stream().limit(NAMED).collect(Collectors.joining("; ")));
    }

    private static void line(StringBuilder text, String format, Object... arguments) {
        text.append(String.format(Locale.ROOT, format, arguments).stripTrailing())
                .append('\n');
    }
}
