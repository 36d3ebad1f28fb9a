/** Browsers have passkeys for names alone, over HTTPS or on `localhost`. */
export const canUsePasskeys = (): boolean =>
  isSecureContext &&
  !/^[\d.]+$|:/.test(location.hostname) &&
  typeof PublicKeyCredential !== 'undefined' &&
  'parseRequestOptionsFromJSON' in PublicKeyCredential
