import { defineConfig } from '@playwright/test'

/** STUDIO_STORE=neo4j runs the same tests on the database that NEO4J_URI names. */
export default defineConfig({
  testDir: 'e2e',
  workers: 1,
  timeout: 180_000,
  expect: { timeout: 30_000 },
  reporter: 'list',
  forbidOnly: true,
  snapshotPathTemplate: '{testDir}/baseline/{arg}{ext}',
  use: {
    viewport: { width: 1440, height: 900 },
    reducedMotion: 'reduce',
    colorScheme: 'light',
    timezoneId: 'UTC',
    locale: 'en-GB',
    trace: 'off',
    launchOptions: {
      executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
      args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update', '--disable-sync', '--no-first-run', '--disable-quic'],
    },
  },
})
