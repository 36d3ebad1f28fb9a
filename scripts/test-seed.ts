import { configureGlobal } from 'fast-check'

// In the gate property tests use a fixed seed, so that a failure comes from the change and not from chance. All other runs use a new
// seed each time; `npm run test:nightly` searches longest.
if (process.env['TEST_REQUIRE_ALL'] === '1') configureGlobal({ seed: 20_261_122 })
