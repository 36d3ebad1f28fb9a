import type { AlertSourceType } from '@vedette/shared'

export const INTAKE_PATH = '/v1/in'

/** What stands before the token in the address of a type whose clients add a path of their own. */
export const OWN_PATHS = {
  alertmanager_api: `${INTAKE_PATH}/alertmanager`,
  pagerduty_v2: `${INTAKE_PATH}/pagerduty`,
  opsgenie: `${INTAKE_PATH}/opsgenie`,
} as const satisfies Partial<Record<AlertSourceType, string>>
