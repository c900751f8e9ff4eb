// What own.js needs once there is a machine, or a place to drop one.
export { match } from "./match.js";
export { inTables } from "./tables.js";
export { besideCharts, inChart } from "./charts.js";
export { panel } from "./panel.js";
