/** Settings that whoever deploys says on the command line, as `-c fcm_project=…`. */

/** What a browser must know to register with Firebase. They are no secrets: the page has them. */
export const FIREBASE = ['fcm_project', 'fcm_app', 'fcm_api_key', 'fcm_vapid_key'] as const;

/** The settings of a service by what was said: where its page is, if not at its gateway, and the app of Firebase. */
export function settingsSaid(service: string, said: (name: string) => string | undefined): Record<string, string> {
  const settings: Record<string, string> = {};
  const page = said(`${service}_page_url`);
  if (page !== undefined) {
    settings['TABLEWRIGHT_PAGE_URL'] = page;
  }
  if (service === 'ask') {
    const missing = FIREBASE.filter((name) => said(name) === undefined);
    if (missing.length > 0 && missing.length < FIREBASE.length) {
      throw new Error(`for browsers to register, ${FIREBASE.join(', ')} are said together: ${missing.join(', ')} is missing`);
    }
    for (const name of missing.length > 0 ? [] : FIREBASE) {
      settings[`TABLEWRIGHT_${name.toUpperCase()}`] = said(name)!;
    }
  }
  return settings;
}
