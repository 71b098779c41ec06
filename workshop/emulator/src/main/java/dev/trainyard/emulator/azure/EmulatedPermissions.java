package dev.trainyard.emulator.azure;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The permissions of callers in a resource group, as Azure reports them. The emulator does not enforce the permissions. Not thread-safe:
 * callers hold the emulator's lock.
 */
final class EmulatedPermissions implements ArmResources {

    private static final String END = "/providers/microsoft.authorization/permissions";

    private List<String> actions = List.of("*");
    private List<String> notActions = List.of();

    void grant(List<String> granted, List<String> excepted) {
        actions = List.copyOf(granted);
        notActions = List.copyOf(excepted);
    }

    @Override
    public Optional<ArmAnswer> answer(ArmRequest request) {
        if (!request.method().equals("GET") || !request.lowerPath().endsWith(END)) {
            return Optional.empty();
        }
        var body = ArmRequest.JSON.createObjectNode();
        var role = body.putArray("value").addObject();
        actions.forEach(role.putArray("actions")::add);
        notActions.forEach(role.putArray("notActions")::add);
        return Optional.of(ArmAnswer.of(200, body));
    }

    @Override
    public void advance(Instant now) {
        // Permissions do not change with time.
    }
}
