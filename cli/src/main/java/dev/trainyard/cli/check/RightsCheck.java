package dev.trainyard.cli.check;

import dev.trainyard.core.TroubleshootingTopic;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** A check that each component has the rights that the manifests grant. */
final class RightsCheck implements Check {

    private static final String ABOUT = "rights";
    private static final int NAMED = 3;

    @Override
    public List<Finding> look(ClusterSnapshot seen) {
        return seen.rights().findings(ABOUT, RightsCheck::look);
    }

    private static List<Finding> look(List<RightAnswer> rights) {
        var users = rights.stream().map(RightAnswer::user).collect(Collectors.toCollection(TreeSet::new));
        return users.stream()
                .flatMap(user -> of(
                        user,
                        rights.stream().filter(held -> held.user().equals(user)).toList())
                        .stream())
                .toList();
    }

    /**
     * Returns one finding per resource or binding, because a missing rule removes all verbs of its resource, and a missing binding removes
     * all rights of its role.
     */
    private static List<Finding> of(String user, List<RightAnswer> rights) {
        var lacking = new TreeMap<String, List<Right>>();
        rights.stream()
                .filter(held -> !held.allowed().value().orElse(true))
                .map(RightAnswer::right)
                .forEach(right -> lacking.computeIfAbsent(
                                right.bound().isEmpty() ? resource(right) : right.bound(), any -> new ArrayList<>())
                        .add(right));
        var findings = new ArrayList<Finding>();
        lacking.forEach((resource, missing) -> findings.add(missing(user, resource, missing)));
        var untold =
                rights.stream().filter(held -> held.allowed().value().isEmpty()).toList();
        if (!untold.isEmpty()) {
            findings.add(untold(user, untold));
        }
        return findings.isEmpty()
                ? List.of(Finding.ok(ABOUT, "%s has all %d necessary rights".formatted(user, rights.size())))
                : findings;
    }

    private static Finding untold(String user, List<RightAnswer> untold) {
        var words = untold.stream().map(held -> held.right().words()).toList();
        return Finding.warning(
                        ABOUT,
                        "not checked: whether %s may %s%s, %d in all: %s"
                                .formatted(
                                        user,
                                        String.join("; ", words.subList(0, Math.min(NAMED, words.size()))),
                                        words.size() > NAMED ? "; ..." : "",
                                        words.size(),
                                        untold.get(0).allowed().problem()))
                .todo("check again with a longer --timeout, or when the API server is less busy")
                .see(TroubleshootingTopic.NOT_CHECKED);
    }

    private static Finding missing(String user, String resource, List<Right> rights) {
        var verbs = rights.stream().map(Right::verb).distinct().collect(Collectors.joining(", "));
        var file = rights.get(0).file();
        if (!rights.get(0).bound().isEmpty()) {
            return unbound(user, resource, rights);
        }
        return Finding.error(ABOUT, "%s may not %s %s".formatted(user, verbs, resource))
                .on("ServiceAccount " + rights.get(0).serviceAccount())
                .todo("apply manifests/" + file + ", which grants this right")
                .see(TroubleshootingTopic.RIGHTS_MISSING);
    }

    /** Returns the error that a binding to one of Kubernetes' own roles is missing. The role itself exists in every cluster. */
    private static Finding unbound(String user, String role, List<Right> rights) {
        var some = Finding.first(NAMED, rights.stream().map(Right::words).toList());
        return Finding.error(ABOUT, "%s lacks rights of %s: %s".formatted(user, role, some))
                .on("ServiceAccount " + rights.get(0).serviceAccount())
                .todo("apply manifests/%s, which binds the role; do not change the role, which is part of Kubernetes"
                        .formatted(rights.get(0).file()))
                .see(TroubleshootingTopic.RIGHTS_MISSING);
    }

    private static String resource(Right right) {
        return right.words().substring(right.verb().length() + 1);
    }
}
