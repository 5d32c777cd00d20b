#pragma once

// c[i] = a[i] + b[i] for i < n, on the device.
void launch_add2(float* c, const float* a, const float* b, int n);
