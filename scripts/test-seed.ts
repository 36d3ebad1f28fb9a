import { configureGlobal } from 'fast-check'

// In the gate what searches for counterexamples looks in the same places each time: it is red for what was changed, not for what
// chance found today. All other runs look elsewhere each time, `npm run test:nightly` for longest.
if (process.env['TEST_REQUIRE_ALL'] === '1') configureGlobal({ seed: 20_261_122 })
