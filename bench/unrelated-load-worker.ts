// Keeps `share` of a processor busy, in bursts, until its parent ends it. It has nothing to do with the service.
const BURST_MS = 10;

const share = Number(process.argv[2]);
const restMs = BURST_MS / share - BURST_MS;

function burst(): void {
  const end = performance.now() + BURST_MS;
  while (performance.now() < end);
  setTimeout(burst, Math.max(1, restMs));
}

process.once('disconnect', () => process.exit());
burst();
