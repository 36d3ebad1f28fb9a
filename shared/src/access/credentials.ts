/** Prefix of each secret: a secret scanner finds them, a person sees which one it is. */
export const SECRET_PREFIX = {
  apiKey: 'vdt_key_',
  serverToken: 'vdt_srv_',
  probeToken: 'vdt_prb_',
  enrollmentToken: 'vdt_enr_',
  pingToken: 'vdt_png_',
  pingKey: 'vdt_pky_',
  calendarToken: 'vdt_cal_',
  alertSourceToken: 'vdt_in_',
} as const
export type SecretKind = keyof typeof SECRET_PREFIX

/** How many first characters of an API key its record shows. */
export const KEY_PREFIX_LENGTH = 14
